extension OddFileTests {
    /// The Python functions that the scripts use.
    static let tools = """
        import io, struct, subprocess, zlib
        code = Image.open('in.png').convert('L')
        blank = Image.new('L', code.size, 255)
        interlaced = False
        def saved(image, kind, **options):
            out = io.BytesIO()
            image.save(out, kind, **options)
            return out.getvalue()
        def write(data): open('x', 'wb').write(data)
        def ffmpeg(*options):
            code.save('code.png')
            subprocess.check_call(['ffmpeg', '-loglevel', 'error', '-i', 'code.png', '-frames:v', '4',
                *options, '-y', 'x'])

        # PNG chunk by chunk, with Adam7 (ISO/IEC 15948 § 8.2) if interlaced.
        # pixel makes the bytes of a pixel from its luma.
        def chunk(kind, data, slip=0):
            check = struct.pack('>I', zlib.crc32(kind + data) ^ slip)
            return struct.pack('>I', len(data)) + kind + data + check
        def png(depth, colour, pixel, *extra):
            luma = list(code.getdata())
            rows = [[pixel(v) for v in luma[y * code.width:(y + 1) * code.width]] for y in range(code.height)]
            passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                (0, 1, 1, 2)]
            lines = b''
            for x, y, dx, dy in passes if interlaced else [(0, 0, 1, 1)]:
                for row in rows[y::dy]:
                    line = b''.join(row[x::dx])
                    if depth == 1:
                        bits = ''.join(map(str, line))
                        line = bytes(int(bits[i:i + 8].ljust(8, '0'), 2) for i in range(0, len(bits), 8))
                    lines += b'\\0' + line
            header = struct.pack('>IIBBBBB', *code.size, depth, colour, 0, 0, interlaced)
            return (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', header) + b''.join(extra)
                    + chunk(b'IDAT', zlib.compress(lines)) + chunk(b'IEND', b''))
        def into_png(*extra):
            data = saved(code, 'PNG')
            return data[:33] + b''.join(extra) + data[33:]

        # JPEG segment by segment, up to the scan.
        jpeg = saved(code.convert('RGB'), 'JPEG', quality=90)
        ink = saved(code.convert('RGB').convert('CMYK'), 'JPEG', quality=90)
        def segments(data):
            at, found = 2, []
            while data[at + 1] != 0xDA:
                length = int.from_bytes(data[at + 2:at + 4], 'big')
                found.append((data[at + 1], data[at + 4:at + 2 + length]))
                at += 2 + length
            return found, data[at:]
        def joined(found, rest):
            return b'\\xff\\xd8' + b''.join(
                bytes([255, kind]) + struct.pack('>H', len(data) + 2) + data for kind, data in found) + rest
        def into_jpeg(*extra):
            found, rest = segments(jpeg)
            return joined([*extra, *found], rest)
        def without(*kinds, jpeg=jpeg):
            found, rest = segments(jpeg)
            return joined([segment for segment in found if segment[0] not in kinds], rest)
        def adobe(transform, data=jpeg):
            found, rest = segments(without(0xE0, 0xEE, jpeg=data))
            return joined([(0xEE, b'Adobe\\0\\x64\\0\\0\\0\\0' + bytes([transform])), *found], rest)
        def cjpeg(*options):
            code.convert('RGB').save('x.ppm')
            subprocess.check_call(['cjpeg', *options, '-outfile', 'x', 'x.ppm'])

        # HEIF with a rotation (irot) or a mirror (imir): ISO/IEC 23008-12 § 6.5.10 and § 6.5.12.
        def box(kind, data): return struct.pack('>I', 8 + len(data)) + kind + data
        def boxes(data):
            while data:
                size, = struct.unpack('>I', data[:4])
                yield data[4:8], data[8:size]
                data = data[size:]
        def with_property(data, property):
            def iprp(data):
                (_, properties), (_, links) = boxes(data)
                index, count = len(list(boxes(properties))) + 1, links[10]
                links = (links[:10] + bytes([count + 1]) + links[11:11 + count] + bytes([0x80 | index])
                    + links[11 + count:])
                return box(b'ipco', properties + property) + box(b'ipma', links)
            def iloc(data):
                # Offset, length and base offset have four bytes each; the data move by ten.
                assert data[4:6] == b'\\x44\\x40'
                items, = struct.unpack('>H', data[6:8])
                out, at = data[:8], 8
                for _ in range(items):
                    head = 12 if data[0] == 1 else 10
                    extents, = struct.unpack('>H', data[at + head - 2:at + head])
                    out += data[at:at + head]
                    at += head
                    for _ in range(extents):
                        offset, length = struct.unpack('>II', data[at:at + 8])
                        out += struct.pack('>II', offset + len(property) + 1, length)
                        at += 8
                return out
            change, out = {b'iprp': iprp, b'iloc': iloc}, b''
            for kind, content in boxes(data):
                if kind == b'meta':
                    inner = ((k, change.get(k, bytes)(c)) for k, c in boxes(content[4:]))
                    content = content[:4] + b''.join(box(*pair) for pair in inner)
                out += box(kind, content)
            return out
        def heif(options, kind, value):
            wide = Image.new('RGB', (code.width + 60, code.height), 'white')
            wide.paste(code)
            wide.save('wide.png')
            subprocess.check_call(['heif-enc', '-q', '60', *options, '-o', 'plain', 'wide.png'])
            write(with_property(open('plain', 'rb').read(), box(kind, bytes([value]))))

        """
}
