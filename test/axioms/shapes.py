"""The shapes of litmus tests, of up to four threads, and programs of these shapes with their orders."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from dataclasses import dataclass

from litmus import Shape

SHAPES = [
    Shape("MP", "x=1 | y=1 || r0=y | r1=x", "r0=1 r1=0"),
    Shape("SB", "x=1 | r0=y || y=1 | r1=x", "r0=0 r1=0"),
    Shape("LB", "r0=x | y=1 || r1=y | x=1", "r0=1 r1=1"),
    Shape("2+2W", "x=1 | y=2 || y=1 | x=2", "x=1 y=1"),
    Shape("S", "x=2 | y=1 || r0=y | x=1", "r0=1 x=2"),
    Shape("R", "x=1 | y=1 || y=2 | r0=x", "r0=0 y=2"),
    Shape("WRC", "x=1 || r0=x | y=1 || r1=y | r2=x", "r0=1 r1=1 r2=0"),
    Shape("RWC", "x=1 || r0=x | r1=y || y=1 | r2=x", "r0=1 r1=0 r2=0"),
    Shape("ISA2", "x=1 | y=1 || r0=y | z=1 || r1=z | r2=x", "r0=1 r1=1 r2=0"),
    Shape("IRIW", "x=1 || y=1 || r0=x | r1=y || r2=y | r3=x", "r0=1 r1=0 r2=1 r3=0"),
    Shape("CoRR", "x=1 || r0=x r1=x", "r0=1 r1=0"),
    Shape("CoWW", "x=1 x=2", "x=1"),
    Shape("CoRW1", "r0=x x=1", "r0=1"),
    Shape("CoRW2", "r0=x x=1 || x=2", "r0=2 x=2"),
    Shape("CoWR", "x=1 r0=x || x=2", "r0=2 x=1"),
    Shape("Atomicity", "r0=x:1 || r1=x:2", "r0=0 r1=0"),
    Shape("Release sequence", "x=1 | y=1 || r0=y:2 || r1=y | r2=x", "r0=1 r1=2 r2=0"),
    Shape("Release sequence of two", "x=1 | y=1 || r0=y:2 || y:3 || r1=y | r2=x", "r0=1 r1=3 r2=0 y=3"),
    Shape("MP of exchanges", "x=1 | r0=y:1 || r1=y:2 | r2=x", "r1=1 r2=0"),
    Shape("SB of exchanges", "r0=x:1 | r1=y || r2=y:1 | r3=x", "r1=0 r3=0"),
    Shape("SB read by exchanges", "x=1 | r0=y:1 || y=2 | r1=x:2", "r0=0 r1=0"),
    Shape("MP by a reduction", "x=1 | y:1 || r0=y | r1=x", "r0=1 r1=0"),
    Shape("R by a reduction", "x=1 | y:1 || y=2 | r1=x", "r1=0 y=2"),
]
BY_NAME = {shape.name: shape for shape in SHAPES}


@dataclass(frozen=True)
class Row:
    """A shape with the order of each of its operations (- where there is no fence), which forbid its outcome or do not."""

    shape: Shape
    orders: str
    is_forbidden: bool = True
    twin: str = ""  # the orders of its weak twin, if not all are relaxed and without a fence; "none" if it has none
    has_narrow_twin: bool = True  # allowed if the scopes do not include the threads

    def words(self, orders):
        return [{"-": "none"}.get(word, word) for word in orders.replace("||", " ").split()]

    def relaxed(self):
        if self.twin == "none":
            return None
        if self.twin:
            return self.words(self.twin)
        return ["none" if operation.kind == "fence" else "relaxed" for operation in self.shape.operations()]


def row(name, orders, **values):
    return Row(BY_NAME[name], orders, **values)


ROWS = [
    row("MP", "relaxed - release || acquire - relaxed"),
    row("MP", "relaxed release relaxed || relaxed acquire relaxed"),
    row("MP", "relaxed release relaxed || acquire - relaxed"),
    row("MP", "relaxed - release || relaxed acquire relaxed"),
    row("SB", "seq_cst - seq_cst || seq_cst - seq_cst"),
    row("SB", "relaxed seq_cst relaxed || relaxed seq_cst relaxed"),
    row("SB", "release - acquire || release - acquire", is_forbidden=False),
    row("LB", "acquire - release || acquire - release"),
    row("LB", "relaxed acq_rel relaxed || relaxed acq_rel relaxed"),
    row("2+2W", "seq_cst - seq_cst || seq_cst - seq_cst"),
    row("2+2W", "relaxed seq_cst relaxed || relaxed seq_cst relaxed"),
    row("S", "relaxed - release || acquire - relaxed"),
    row("R", "seq_cst - seq_cst || seq_cst - seq_cst"),
    row("R", "relaxed seq_cst relaxed || relaxed seq_cst relaxed"),
    row("WRC", "relaxed || acquire - release || acquire - relaxed"),
    row("WRC", "relaxed || relaxed acq_rel relaxed || relaxed acquire relaxed"),
    row("RWC", "seq_cst || seq_cst - seq_cst || seq_cst - seq_cst"),
    row("RWC", "relaxed || relaxed seq_cst relaxed || relaxed seq_cst relaxed"),
    row("ISA2", "relaxed - release || acquire - release || acquire - relaxed"),
    row("IRIW", "seq_cst || seq_cst || seq_cst - seq_cst || seq_cst - seq_cst"),
    row("IRIW", "relaxed || relaxed || relaxed seq_cst relaxed || relaxed seq_cst relaxed"),
    row("IRIW", "release || release || acquire - acquire || acquire - acquire", is_forbidden=False),
    row("CoRR", "relaxed || relaxed relaxed", twin="plain || plain plain"),
    row("CoWW", "relaxed relaxed", twin="none", has_narrow_twin=False),
    row("CoRW1", "relaxed relaxed", twin="none", has_narrow_twin=False),
    row("CoRW2", "relaxed relaxed || relaxed", twin="plain plain || plain"),
    row("CoWR", "relaxed relaxed || relaxed", twin="plain plain || plain"),
    row("Atomicity", "relaxed || relaxed", twin="none"),
    row("Release sequence", "relaxed - release || relaxed || acquire - relaxed"),
    row("Release sequence", "relaxed release relaxed || relaxed || relaxed acquire relaxed"),
    row("Release sequence of two", "relaxed - release || relaxed || relaxed || acquire - relaxed"),
    row("MP of exchanges", "relaxed - release || acquire - relaxed"),
    row("SB of exchanges", "seq_cst - seq_cst || seq_cst - seq_cst"),
    row("SB read by exchanges", "seq_cst - seq_cst || seq_cst - seq_cst"),
    row("MP by a reduction", "relaxed - release || acquire - relaxed"),
    row("R by a reduction", "seq_cst - seq_cst || seq_cst - seq_cst"),
]
