"""What a process that has been taken over can do: system calls that it makes against its will, by ptrace(2) from outside.

For x86-64. A thread that waits stands behind the `syscall` instruction by which it does: that makes other calls for a while,
and all is as before afterwards.
"""
import ctypes
import errno
import os

ATTACH, DETACH, STEP, GETREGS, SETREGS, PEEK, POKE = 16, 17, 9, 12, 13, 1, 4
NAMES = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base "
         "ds es fs gs").split()
OPENAT, SOCKET, MMAP, CLONE, PTRACE, MOUNT, UNSHARE, KILL, GETPID, CLOSE, CONNECT = (
    257, 41, 9, 56, 101, 165, 272, 62, 39, 3, 42)


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in NAMES]


libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, process, address=0, data=0):
    ctypes.set_errno(0)
    result = libc.ptrace(request, process, address, data)
    if ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Busy(Exception):
    """The thread does not wait."""


class TakenOver:
    """One thread of a process, as a context."""

    def __init__(self, thread):
        self.thread = thread

    def __enter__(self):
        ptrace(ATTACH, self.thread)
        os.waitpid(self.thread, 0x40000000)  # __WALL
        self.before = Registers()
        ptrace(GETREGS, self.thread, 0, ctypes.addressof(self.before))
        if ptrace(PEEK, self.thread, self.before.rip - 2) & 0xFFFF != 0x050F:
            ptrace(DETACH, self.thread)
            raise Busy
        self.room = (self.before.rsp - 4096) & ~15
        return self

    def __exit__(self, *_):
        ptrace(SETREGS, self.thread, 0, ctypes.addressof(self.before))
        ptrace(DETACH, self.thread)

    def call(self, number, *arguments):
        """The result; the name of the error if it failed, like `EACCES`. Strings and bytes go into its memory."""
        values, place = [], self.room
        for each in arguments:
            if isinstance(each, (str, bytes)):
                data = each.encode() + b"\0" if isinstance(each, str) else each
                data += b"\0" * (-len(data) % 8)
                for at in range(0, len(data), 8):
                    ptrace(POKE, self.thread, place + at, int.from_bytes(data[at:at + 8], "little"))
                values.append(place)
                place += len(data)
            else:
                values.append(each & (1 << 64) - 1)
        registers = Registers.from_buffer_copy(self.before)
        registers.orig_rax, registers.rip = (1 << 64) - 1, self.before.rip - 2
        registers.rax = number
        for name, value in zip(("rdi", "rsi", "rdx", "r10", "r8", "r9"), values):
            setattr(registers, name, value)
        ptrace(SETREGS, self.thread, 0, ctypes.addressof(registers))
        ptrace(STEP, self.thread)
        os.waitpid(self.thread, 0x40000000)
        ptrace(GETREGS, self.thread, 0, ctypes.addressof(registers))
        result = ctypes.c_longlong(registers.rax).value
        return errno.errorcode[-result] if -4096 < result < 0 else result
