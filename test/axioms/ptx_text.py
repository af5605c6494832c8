"""Kernels as NVRTC compiles them: the instructions that access or order memory, along each path."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from dataclasses import dataclass, replace

from cudasync_tools import nvrtc
from cudasync_tools.ptx_text import with_qualifiers

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "sc")
SCOPES = ("cta", "cluster", "gpu", "sys")
MEMORY = ("ld", "st", "atom", "red", "fence", "mbarrier", "cp", "bar", "barrier")
KERNEL = re.compile(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}\n", re.DOTALL)
STATEMENT = re.compile(r"\s*(?:(?P<label>[\w$]+):|(?P<code>[^;:{}]+(?:::?[^;:{}]+)*(?:\{[^{}]*\}[^;{}]*)*);|[{}])")


@dataclass(frozen=True)
class Instruction:
    """order is None if the instruction is weak, or has none."""

    text: str  # the mnemonic with its qualifiers
    kind: str  # ld, st, atom, red, fence, proxy_fence, arrive, wait, copy, block_sync ...
    order: str | None
    scope: str | None

    @property
    def is_strong(self):
        return self.order is not None

    def with_order(self, order):
        return replace(
            self,
            order=order,
            text=self.text.replace(f".{self.order}", f".{order}", 1)
            if f".{self.order}" in self.text
            else f"{self.text} ({order})",
        )

    def with_scope(self, scope):
        return replace(
            self,
            scope=scope,
            text=self.text.replace(f".{self.scope}", f".{scope}", 1)
            if f".{self.scope}" in self.text
            else f"{self.text} ({scope})",
        )


# Instructions for mbarriers and for barriers of a cluster have these orders where they name none, and mbarriers the scope cta.
DEFAULT_ORDERS = {"arrive": "release", "wait": "acquire", "cluster_arrive": "release", "cluster_wait": "acquire"}


def kind_of(words):
    if words[0] == "mbarrier":
        if words[1] in ("arrive", "arrive_drop"):
            return "arrive"
        return "wait" if words[1] in ("test_wait", "try_wait") else "mbarrier_" + words[1]
    if words[:2] == ["fence", "proxy"]:
        return "proxy_fence"
    if words[:3] == ["cp", "async", "bulk"]:
        return words[3] if words[3] in ("commit_group", "wait_group", "prefetch") else "copy"
    if words[:2] == ["barrier", "cluster"]:
        return "cluster_" + words[2]
    if words[0] in ("bar", "barrier"):
        return "warp_sync" if words[1] == "warp" else "block_sync"
    return words[0]


def instruction(text):
    words = text.split(".")
    kind = kind_of(words)
    order = next((word for word in words if word in ORDERS), DEFAULT_ORDERS.get(kind))
    scope = next((word for word in words if word in SCOPES), "cta" if kind in ("arrive", "wait") else None)
    if kind.startswith("cluster_"):
        scope = "cluster"
    return Instruction(text, kind, None if kind == "proxy_fence" else order, scope)


def weaker(step):
    """(what is weaker, the instruction then, or None if it is removed)"""
    kind, order, scope = step.kind, step.order, step.scope
    if kind in ("proxy_fence", "block_sync", "warp_sync", "wait_group"):
        yield "removed", None
    elif kind == "fence":
        yield "removed", None
        for other in {"acq_rel": ("acquire", "release"), "sc": ("acq_rel",)}.get(order, ()):
            yield other, step.with_order(other)
    elif order in ("acquire", "release"):
        yield "relaxed", step.with_order("relaxed")
    elif order == "acq_rel":
        for other in ("acquire", "release"):
            yield other, step.with_order(other)
    if step.is_strong and scope not in (None, "cta") and not kind.startswith("cluster_"):
        narrower = SCOPES[SCOPES.index(scope) - 1]
        yield f"scope {narrower}", step.with_scope(narrower)
    if kind == "wait_group" and not step.text.endswith(".read"):
        yield "of reads only", instruction(step.text + ".read")


def statements(body):
    """(label, None) or (None, words) of each statement."""
    for match in STATEMENT.finditer(re.sub(r"//.*|\.(loc|file|pragma|reg)\b[^;\n]*;?", "", body)):
        if match["label"]:
            yield match["label"], None
        elif match["code"] and match["code"].split():
            yield None, match["code"].split()


def paths(body):
    """The instructions that access or order memory along each path through a kernel, a loop's body once: a set of tuples."""
    code = list(statements(body))
    labels = {label: index for index, (label, _) in enumerate(code) if label}
    found = set()
    waiting = [(0, (), frozenset())]
    while waiting:
        index, seen, taken = waiting.pop()
        while index < len(code):
            words = code[index][1]
            if words is None:
                index += 1
                continue
            predicate = words[0] if words[0].startswith("@") else ""
            name = words[1 if predicate else 0]
            if name.startswith("bra"):
                target = labels[words[-1]]
                if index in taken:  # the second time around a loop: leave it
                    target = None
                if predicate:
                    if target is not None:
                        waiting.append((target, seen, taken | {index}))
                    index += 1
                    continue
                if target is None:
                    break
                taken |= {index}
                index = target
                continue
            if name in ("trap", "exit") and not predicate:
                break
            if name in ("ret", "exit") and not predicate:
                found.add(seen)
                break
            if name.split(".")[0] in MEMORY and not re.match(r"(ld|st)\.(param|local)\b", name):
                seen = (*seen, instruction(name))
            index += 1
    return found


def kernels(source, arch):
    """{name of a kernel: its paths}, as NVRTC compiles the source for an architecture."""
    ptx, log = nvrtc.compile(source, "axioms.cu", arch)
    errors = "\n".join(line for line in log.splitlines() if "error" in line)
    assert ptx, f"the kernels do not compile for sm_{arch}:\n{errors}"
    return {name: paths(body) for name, body in KERNEL.findall(with_qualifiers(ptx.decode()))}
