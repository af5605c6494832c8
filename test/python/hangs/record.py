"""Makes cores.tar.xz from core dumps of hangs.cu: only what the report reads, without the cubins of the driver."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The dumps were made on an H100 with driver 580, with hangs.cu compiled in /tmp/hangs for sm_90a with -lineinfo, by this
# command for each kernel:
#
# CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=pipe CUDA_COREDUMP_FILE=cores/NAME ./hangs NAME & sleep 3; echo > pipe

import io
import struct
import sys
import tarfile
from pathlib import Path

from cudasync.report import dump, waits
from cudasync.report.elf import Elf

_PAGE = 4096
_KEPT = [dump._USER + each for each in (4, 5, 9, 11, 12, 13, 14, 15, 17, 19)]


def trimmed(path: Path) -> bytes:
    """The core dump without what the report does not read."""
    found = dump.Dump(path)
    elf = Elf(path.read_bytes())
    addresses = [address for address, _ in waits.polled(waits.look_at(found))]
    entries = {block.grid.entry for block in found.blocks}
    kept = [(elf.sections[0], b"", 0)]
    for each in elf.sections[1:]:
        contents = elf.bytes_of(each)
        if each.type == dump._GLOBAL:
            pages = sorted({address // _PAGE * _PAGE for address in addresses if each.address <= address < each.address + each.size})
            kept += [(each, contents[page - each.address :][:_PAGE], page) for page in pages]
        elif each.type == dump._RELOCATED:
            if any(part.address <= entry < part.address + part.size for part in elf.part(each).sections for entry in entries):
                kept.append((each, contents, 0))
        elif each.type in _KEPT and (contents or each.type in (dump._SMS, dump._BLOCKS)):
            kept.append((each, contents, each.address))
    numbers = {each.number: number for number, (each, _, _) in enumerate(kept)}
    kept.append((elf.sections[0], b"\0.names\0", 0))  # names are not read
    body, headers = b"", b""
    for number, (each, contents, address) in enumerate(kept):
        kind, name = (3, 1) if number == len(kept) - 1 else (each.type, 0)
        headers += struct.pack("<IIQQQQIIQQ", name, kind, 0, address, 64 + len(body), len(contents), numbers.get(each.link, 0), each.info, 1, each.entry_size)
        body += contents
    first = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x013\x07", 4, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(kept), len(kept) - 1)
    return first + body + headers


def main(folder: Path) -> None:
    with tarfile.open(Path(__file__).parent / "cores.tar.xz", "w:xz", preset=9) as archive:
        for path in sorted(folder.iterdir()):
            contents = trimmed(path)
            member = tarfile.TarInfo(path.name)
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
