"""Reads a cubin: instructions and registers of each kernel from the ELF file itself, text from nvdisasm."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import struct
import subprocess
import tempfile
from dataclasses import dataclass

from cudasync_tools import toolchain

INSTRUCTION_SIZE = 16
NOP = 0x918
SELF_BRANCHES = (0xFFFFFFF000007947, 0xFFFFFFFC00FC7947)  # "BRA ." as sm_70…89 and sm_90 and later encode it
EIATTR_REGCOUNT = 0x2F
STT_FUNC = 2


@dataclass(frozen=True)
class Kernel:
    instructions: int  # of the kernel itself
    called: int  # of the functions that it calls out of line
    registers: int


def _sections(cubin):
    table, entry_size, count, names = struct.unpack_from("<Q10xHHH", cubin, 0x28)
    fields = [struct.unpack_from("<II8x8xQQII", cubin, table + index * entry_size) for index in range(count)]
    strings = fields[names][2]
    for name, kind, offset, size, _, _ in fields:
        end = cubin.index(b"\0", strings + name)
        yield cubin[strings + name : end].decode(), kind, cubin[offset : offset + size] if kind != 8 else b""


def _registers_by_symbol(nv_info):
    """{symbol index: registers} from the EIATTR_REGCOUNT entries of .nv.info."""
    registers = {}
    position = 0
    while position < len(nv_info):
        form, attribute, size = struct.unpack_from("<BBH", nv_info, position)
        position += 4
        if form == 4:
            if attribute == EIATTR_REGCOUNT:
                symbol, count = struct.unpack_from("<II", nv_info, position)
                registers[symbol] = count
            position += size
    return registers


def _without_padding(code):
    """The low halves of the instructions without the NOPs and the branch to itself that ptxas appends."""
    words = [low for low, _ in struct.iter_unpack("<QQ", code)]
    while words and words[-1] & 0xFFF == NOP:
        words.pop()
    if words and words[-1] in SELF_BRANCHES:
        words.pop()
    return words


def _functions(sections):
    """[(name, section, where it starts there, index of the symbol)]; a function out of line stands in the section of its kernel."""
    content = {name: data for name, _, data in sections}
    strings, symbols = content[".strtab"], content[".symtab"]
    functions = []
    for index, (name, info, _, section, value, _) in enumerate(struct.iter_unpack("<IBBHQQ", symbols)):
        if info & 15 == STT_FUNC and section:
            functions.append((strings[name : strings.index(b"\0", name)].decode(), section, value, index))
    return functions


def kernels(cubin):
    """{kernel: Kernel} without padding."""
    sections = list(_sections(cubin))
    registers = _registers_by_symbol({name: data for name, _, data in sections}[".nv.info"])
    functions = _functions(sections)
    result = {}
    for name, section, start, index in functions:
        if start != 0:
            continue
        total = len(_without_padding(sections[section][2]))
        callees = [value // INSTRUCTION_SIZE for _, other, value, _ in functions if other == section and value > 0]
        own = min([total, *callees])
        result[name] = Kernel(own, total - own, registers[index])
    return result


_texts = {}  # {(arch, instruction): (its text, how far behind its own address the place is that it names last)}


def decoded(codes, arch):
    """{kernel: [(instruction text, index of the instruction that it names last, or None)]} of {kernel: its bytes}.

    nvdisasm takes 0.3 s to start, and sees each instruction once, however many kernels have it.
    """
    size = INSTRUCTION_SIZE
    words = {name: [data[at : at + size] for at in range(0, len(data), size)] for name, data in codes.items()}
    _decode({word for listed in words.values() for word in listed if (arch, word) not in _texts}, arch)
    result = {}
    for name, listed in words.items():
        texts = (_texts[arch, word] for word in listed)
        result[name] = [
            (text, None if distance is None else index + distance // size) for index, (text, distance) in enumerate(texts)
        ]
    return result


def _decode(unknown, arch):
    unknown = sorted(unknown)
    if not unknown:
        return
    lines = _nvdisasm(b"".join(unknown), f"--binary=SM{arch}").splitlines()
    for line in lines:
        if found := re.match(r"\s*/\*([0-9a-f]+)\*/\s*(.*?)\s*;", line):
            address = int(found[1], 16)
            place = re.search(r"-?\b0x[0-9a-f]+$", found[2])  # less than zero in front of the first word
            _texts[arch, unknown[address // INSTRUCTION_SIZE]] = found[2], int(place[0], 16) - address if place else None


class Unreadable(Exception):
    """The code has something that is not understood here."""


def code(cubin):
    """{kernel: its bytes}"""
    return {name.removeprefix(".text."): data for name, _, data in _sections(cubin) if name.startswith(".text.")}


def lines(cubin, arch):
    """{kernel: [instruction text]} without padding, functions out of line included: as disassemble(), but what nvdisasm has
    seen before it need not see again. A call has the function's name, and a branch a number."""
    sections = list(_sections(cubin))
    names = {(sections[section][0], start // INSTRUCTION_SIZE): name for name, section, start, _ in _functions(sections)}
    result = {}
    for kernel, texts in decoded(code(cubin), arch).items():
        while texts and texts[-1][0] == "NOP":
            texts.pop()
        if texts and texts[-1][0].startswith("BRA") and texts[-1][1] == len(texts) - 1:
            texts.pop()
        called = (names.get((f".text.{kernel}", place)) if "CALL" in text else None for text, place in texts)
        result[kernel] = [re.sub(r"\S+$", f"`({name})", text) if name else text for (text, _), name in zip(texts, called, strict=True)]
    return result


def _nvdisasm(data, *options):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(data)
        file.flush()
        command = [toolchain.nvdisasm(), "-c", "-ndf", *options, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise toolchain.ToolMissing(f"nvdisasm cannot read this cubin: {done.stderr.strip()}")
    return done.stdout


def listings(cubin):
    """{kernel: the text that nvdisasm prints, with addresses and labels}"""
    sections = re.split(r"^\s*\.section\s+\.text\.", _nvdisasm(cubin), flags=re.MULTILINE)[1:]
    return {section[: section.index(",")]: section for section in sections}


def disassemble(cubin):
    """{kernel: [instruction text]} without padding, functions out of line included."""
    result = {}
    for name, section in listings(cubin).items():
        text = [line.strip() for line in re.findall(r"^\s*(?:/\*[0-9a-f]+\*/)?(.*?);\s*$", section, flags=re.MULTILINE)]
        while text and text[-1] == "NOP":
            text.pop()
        result[name] = text[:-1] if text and re.match(r"BRA `", text[-1]) else text
    return result
