"""Every signature of cuda::ptx that synchronizes: its address, its one instruction, and SASS equal to that of the instruction by hand."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The table is written from the PTX manual. A row has the signature, as in a pointer to the function, and the instruction.
# In an instruction, {2:c} is parameter 2 in the form c, {2.1:r} is element 1 of an array, {out:r} is the result, and < >
# are the braces of a vector. The forms: c an address in the shared memory of the cluster, s in that of this block, g in
# global memory, x a generic address; r, l, h registers of 32, 64 and 16 bits; n an immediate; p a predicate.

import re
from dataclasses import dataclass

from cudasync_tools import nvrtc, sass
from cudasync_tools.lit_format import Failure

I32, U32, I64, U64 = "int32_t", "uint32_t", "int64_t", "uint64_t"
SCOPES = ("cta", "cluster", "gpu", "sys")
BYTES = "mbarrier::complete_tx::bytes"
BITS = {I32: "32", U32: "32", I64: "64", U64: "64", "float": "32", "double": "64", "__half": "16", "__nv_bfloat16": "16"}
BITWISE = {"and_op": "and", "or_op": "or", "xor_op": "xor"}

# Targets, as sets of architectures.
FROM_80 = "80 90 90a 100 100a 100f 103a 110a 120 120a 121a".split()
FROM_90 = FROM_80[1:]
FROM_100 = FROM_90[2:]
SPECIFIC = [arch for arch in FROM_90 if not arch.isdigit()]
TENSOR_CORES = "100a 100f 103a 110a".split()
SPECIFIC_100 = [arch for arch in SPECIFIC if arch in FROM_100]


@dataclass(frozen=True)
class Row:
    returns: str
    function: str
    parameters: tuple
    instruction: str
    archs: tuple


def ptx_type(type, signed=True):
    """The .type of an arithmetic operation on a C++ type."""
    kind = "u" if type.startswith("u") or not signed else "s"
    return {"float": "f32", "double": "f64", "__half": "f16", "__nv_bfloat16": "bf16"}.get(type, kind + BITS[type])


def register(type):
    return {"32": "r", "64": "l", "16": "h"}[BITS[type]]


def sum_type(type):
    """Of .add: there is no .s64, because .u64 does the same."""
    return "u64" if type == I64 else ptx_type(type)


def boxes(first, count):
    return ", ".join(f"{{{first}.{index}:r}}" for index in range(count))


def mbarrier():
    yield "void mbarrier_init(uint64_t*, const uint32_t&)", "mbarrier.init.shared.b64 [{0:s}], {1:r}", FROM_80
    yield "void mbarrier_inval(uint64_t*)", "mbarrier.inval.shared.b64 [{0:s}]", FROM_80
    yield "uint64_t mbarrier_arrive(uint64_t*)", "mbarrier.arrive.shared.b64 {out:l}, [{0:s}]", FROM_80
    yield "uint64_t mbarrier_arrive(uint64_t*, const uint32_t&)", "mbarrier.arrive.shared.b64 {out:l}, [{0:s}], {1:r}", FROM_90
    name = "uint64_t mbarrier_arrive_no_complete(uint64_t*, const uint32_t&)"
    yield name, "mbarrier.arrive.noComplete.shared.b64 {out:l}, [{0:s}], {1:r}", FROM_80
    for sem in ("release", "relaxed"):
        for scope in ("cta", "cluster"):
            tags, words = f"sem_{sem}_t, scope_{scope}_t, space_shared_t, uint64_t*", f"{sem}.{scope}.shared::cta.b64"
            yield f"uint64_t mbarrier_arrive({tags}, const uint32_t&)", f"mbarrier.arrive.{words} {{out:l}}, [{{3:s}}], {{4:r}}", FROM_90
            name = f"uint64_t mbarrier_arrive_expect_tx({tags}, const uint32_t&)"
            yield name, f"mbarrier.arrive.expect_tx.{words} {{out:l}}, [{{3:s}}], {{4:r}}", FROM_90
            yield f"uint64_t mbarrier_arrive({tags})", f"mbarrier.arrive.{words} {{out:l}}, [{{3:s}}], 1", FROM_90
        tags, words = f"sem_{sem}_t, scope_cluster_t, space_cluster_t, uint64_t*", f"{sem}.cluster.shared::cluster.b64 _"
        yield f"void mbarrier_arrive({tags})", f"mbarrier.arrive.{words}, [{{3:c}}], 1", FROM_90
        yield f"void mbarrier_arrive({tags}, const uint32_t&)", f"mbarrier.arrive.{words}, [{{3:c}}], {{4:r}}", FROM_90
        name = f"void mbarrier_arrive_expect_tx({tags}, const uint32_t&)"
        yield name, f"mbarrier.arrive.expect_tx.{words}, [{{3:c}}], {{4:r}}", FROM_90
    for scope in ("cta", "cluster"):
        for space, form, word in (("shared", "s", "shared::cta"), ("cluster", "c", "shared::cluster")):
            name = f"void mbarrier_expect_tx(sem_relaxed_t, scope_{scope}_t, space_{space}_t, uint64_t*, uint32_t)"
            yield name, f"mbarrier.expect_tx.relaxed.{scope}.{word}.b64 [{{3:{form}}}], {{4:r}}", FROM_90
    # ptxas 13.0 crashes on mbarrier.test_wait for sm_80 if the state is an argument of the kernel, also by hand.
    for wait, limits in (("test_wait", ("",)), ("try_wait", ("", ", const uint32_t&"))):
        for parity, state, kind in (("", U64, "l"), ("_parity", U32, "r")):
            words = f"mbarrier.{wait}{parity.replace('_', '.')}"
            for limit in limits:
                name = f"bool mbarrier_{wait}{parity}(uint64_t*, const {state}&{limit})"
                yield name, f"{words}.shared.b64 {{out:p}}, [{{0:s}}], {{1:{kind}}}" + (", {2:r}" if limit else ""), FROM_90
                for sem in ("acquire", "relaxed"):
                    for scope in ("cta", "cluster"):
                        name = f"bool mbarrier_{wait}{parity}(sem_{sem}_t, scope_{scope}_t, uint64_t*, const {state}&{limit})"
                        text = f"{words}.{sem}.{scope}.shared::cta.b64 {{out:p}}, [{{2:s}}], {{3:{kind}}}"
                        yield name, text + (", {4:r}" if limit else ""), FROM_90
    yield "void cp_async_mbarrier_arrive(uint64_t*)", "cp.async.mbarrier.arrive.shared.b64 [{0:s}]", FROM_80
    yield "void cp_async_mbarrier_arrive_noinc(uint64_t*)", "cp.async.mbarrier.arrive.noinc.shared.b64 [{0:s}]", FROM_80


def fences():
    for sem in ("sc", "acq_rel", "acquire", "release"):
        for scope in SCOPES:
            yield f"void fence(sem_{sem}_t, scope_{scope}_t)", f"fence.{sem}.{scope}", FROM_90
    yield "void fence_mbarrier_init(sem_release_t, scope_cluster_t)", "fence.mbarrier_init.release.cluster", FROM_90
    yield "void fence_proxy_alias()", "fence.proxy.alias", FROM_80
    yield "void fence_proxy_async()", "fence.proxy.async", FROM_90
    for space, word in (("global", "global"), ("cluster", "shared::cluster"), ("shared", "shared::cta")):
        yield f"void fence_proxy_async(space_{space}_t)", f"fence.proxy.async.{word}", FROM_90
    for sem, space, word in (("acquire", "cluster", "shared::cluster"), ("release", "shared", "shared::cta")):
        tags = f"sem_{sem}_t, space_{space}_t, scope_cluster_t"
        yield f"void fence_sync_restrict({tags})", f"fence.{sem}.sync_restrict::{word}.cluster", FROM_90
        name = f"void fence_proxy_async_generic_sync_restrict({tags})"
        yield name, f"fence.proxy.async::generic.{sem}.sync_restrict::{word}.cluster", FROM_90
    for scope in SCOPES:
        start = "void fence_proxy_tensormap_generic"
        yield f"{start}(sem_release_t, scope_{scope}_t)", f"fence.proxy.tensormap::generic.release.{scope}", FROM_90
        name = f"{start}(sem_acquire_t, scope_{scope}_t, const void*, n32_t<128>)"
        yield name, f"fence.proxy.tensormap::generic.acquire.{scope} [{{2:x}}], {{3:n}}", FROM_90
    for sem in ("", ".release", ".relaxed"):
        tag = f"sem_{sem[1:]}_t" if sem else ""
        yield f"void barrier_cluster_arrive({tag})", f"barrier.cluster.arrive{sem}", FROM_90
    yield "void barrier_cluster_wait()", "barrier.cluster.wait", FROM_90
    yield "void barrier_cluster_wait(sem_acquire_t)", "barrier.cluster.wait.acquire", FROM_90
    yield "bool elect_sync(const uint32_t&)", "elect.sync _|{out:p}, {0:r}", FROM_90
    yield "uint32_t getctarank(space_cluster_t, const void*)", "getctarank.shared::cluster.u32 {out:r}, {1:c}", FROM_90


def remote():
    start = f"st.async.weak.shared::cluster.{BYTES}"
    for value in (I32, "float", I64, "double"):
        bits, kind = BITS[value], register(value)
        if value in (I32, I64):
            yield f"void st_async({value}*, const {value}&, uint64_t*)", f"{start}.b{bits} [{{0:c}}], {{1:{kind}}}, [{{2:c}}]", FROM_90
            for count in (2, 4) if bits == "32" else (2,):
                words = ", ".join(f"{{1.{index}:{kind}}}" for index in range(count))
                name = f"void st_async({value}*, const {value} (&)[{count}], uint64_t*)"
                yield name, f"{start}.v{count}.b{bits} [{{0:c}}], <{words}>, [{{2:c}}]", FROM_90
    start = f"red.async.relaxed.cluster.shared::cluster.{BYTES}"
    for op, values in {"inc": (U32,), "dec": (U32,), "min": (U32, I32), "max": (U32, I32), "add": (U32, I32, U64, I64)}.items():
        for value in values:
            bar = "int64_t*" if value == I64 else "uint64_t*"  # libcu++ takes both
            name = f"void red_async(op_{op}_t, {value}*, const {value}&, {bar})"
            yield name, f"{start}.{op}.{sum_type(value)} [{{1:c}}], {{2:{register(value)}}}, [{{3:c}}]", FROM_90
    for op, word in BITWISE.items():
        for value in (I32, U32):
            name = f"void red_async(op_{op}_t, {value}*, const {value}&, uint64_t*)"
            yield name, f"{start}.{word}.b32 [{{1:c}}], {{2:r}}, [{{3:c}}]", FROM_90


def copies():
    tags = "space_{}_t, space_{}_t"
    to_block = f"cp.async.bulk.{{}}.{BYTES}"
    start = "void cp_async_bulk"
    for space, form, word in (("cluster", "c", "shared::cluster"), ("shared", "s", "shared::cta")):
        name = f"{start}({tags.format(space, 'global')}, void*, const void*, const uint32_t&, uint64_t*)"
        text = f"{to_block.format(word + '.global')} [{{2:{form}}}], [{{3:g}}], {{4:r}}, [{{5:{form}}}]"
        yield name, text, FROM_90
    name = f"{start}({tags.format('cluster', 'shared')}, void*, const void*, const uint32_t&, uint64_t*)"
    yield name, f"{to_block.format('shared::cluster.shared::cta')} [{{2:c}}], [{{3:s}}], {{4:r}}, [{{5:c}}]", FROM_90
    name = f"{start}({tags.format('cluster', 'global')}, void*, const void*, const uint32_t&, uint64_t*, const uint16_t&)"
    text = f"{to_block.format('shared::cluster.global')}.multicast::cluster [{{2:c}}], [{{3:g}}], {{4:r}}, [{{5:c}}], {{6:h}}"
    yield name, text, SPECIFIC
    to_global = tags.format("global", "shared")
    name = f"{start}({to_global}, void*, const void*, const uint32_t&)"
    yield name, "cp.async.bulk.global.shared::cta.bulk_group [{2:g}], [{3:s}], {4:r}", FROM_90
    name = f"{start}_cp_mask({to_global}, void*, const void*, const uint32_t&, const uint16_t&)"
    yield name, "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [{2:g}], [{3:s}], {4:r}, {5:h}", FROM_100
    yield f"{start}_commit_group()", "cp.async.bulk.commit_group", FROM_90
    for count in (0, 3):
        yield f"{start}_wait_group(n32_t<{count}>)", "cp.async.bulk.wait_group {0:n}", FROM_90
        yield f"{start}_wait_group_read(n32_t<{count}>)", "cp.async.bulk.wait_group.read {0:n}", FROM_90
    yield "void st_bulk(void*, uint64_t, n32_t<0>)", "st.bulk.weak.shared::cta [{0:s}], {1:l}, {2:n}", FROM_100


def tensors():
    for rank in range(1, 6):
        at, start, function = f"const int32_t (&)[{rank}]", f"cp.async.bulk.tensor.{rank}d", "void cp_async_bulk_tensor"
        for space, form, word in (("cluster", "c", "shared::cluster"), ("shared", "s", "shared::cta")):
            text = f"{start}.{word}.global.tile.{BYTES}"
            name = f"{function}(space_{space}_t, space_global_t, void*, const void*, {at}, uint64_t*)"
            yield name, f"{text} [{{2:{form}}}], [{{3:x}}, <{boxes(4, rank)}>], [{{5:{form}}}]", FROM_90
            for group in (1, 2):
                name = f"{function}(space_{space}_t, space_global_t, cta_group_{group}_t, void*, const void*, {at}, uint64_t*)"
                operands = f"[{{3:{form}}}], [{{4:x}}, <{boxes(5, rank)}>], [{{6:{form}}}]"
                yield name, f"{text}.cta_group::{group} {operands}", TENSOR_CORES
        text = f"{start}.shared::cluster.global.tile.{BYTES}.multicast::cluster"
        name = f"{function}(space_cluster_t, space_global_t, void*, const void*, {at}, uint64_t*, const uint16_t&)"
        yield name, f"{text} [{{2:c}}], [{{3:x}}, <{boxes(4, rank)}>], [{{5:c}}], {{6:h}}", SPECIFIC
        for group in (1, 2):
            tags = f"space_cluster_t, space_global_t, cta_group_{group}_t"
            name = f"{function}({tags}, void*, const void*, {at}, uint64_t*, const uint16_t&)"
            operands = f"[{{3:c}}], [{{4:x}}, <{boxes(5, rank)}>], [{{6:c}}], {{7:h}}"
            yield name, f"{text}.cta_group::{group} {operands}", TENSOR_CORES
        name = f"{function}(space_global_t, space_shared_t, const void*, {at}, const void*)"
        yield name, f"{start}.global.shared::cta.tile.bulk_group [{{2:x}}, <{boxes(3, rank)}>], [{{4:s}}]", FROM_90
        for op in ("add", "min", "max", "inc", "dec", *BITWISE):
            name = f"void cp_reduce_async_bulk_tensor(space_global_t, space_shared_t, op_{op}_t, const void*, {at}, const void*)"
            text = f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{BITWISE.get(op, op)}.tile.bulk_group"
            yield name, f"{text} [{{3:x}}, <{boxes(4, rank)}>], [{{5:s}}]", FROM_90

    at, function = "const int32_t (&)[5]", "void cp_async_bulk_tensor_tile_gather4"
    text = f"cp.async.bulk.tensor.2d.{{}}.global.tile::gather4.{BYTES}"
    name = f"{function}(space_shared_t, space_global_t, void*, const void*, {at}, uint64_t*)"
    yield name, f"{text.format('shared::cta')} [{{2:s}}], [{{3:x}}, <{boxes(4, 5)}>], [{{5:s}}]", FROM_100
    text_of_all = text.format("shared::cluster") + ".multicast::cluster"
    name = f"{function}(space_cluster_t, space_global_t, void*, const void*, {at}, uint64_t*, const uint16_t&)"
    yield name, f"{text_of_all} [{{2:c}}], [{{3:x}}, <{boxes(4, 5)}>], [{{5:c}}], {{6:h}}", TENSOR_CORES
    for group in (1, 2):
        name = f"{function}(space_shared_t, space_global_t, cta_group_{group}_t, void*, const void*, {at}, uint64_t*)"
        operands = f"[{{3:s}}], [{{4:x}}, <{boxes(5, 5)}>], [{{6:s}}]"
        yield name, f"{text.format('shared::cta')}.cta_group::{group} {operands}", TENSOR_CORES
        tags = f"space_cluster_t, space_global_t, cta_group_{group}_t"
        name = f"{function}({tags}, void*, const void*, {at}, uint64_t*, const uint16_t&)"
        operands = f"[{{3:c}}], [{{4:x}}, <{boxes(5, 5)}>], [{{6:c}}], {{7:h}}"
        yield name, f"{text_of_all}.cta_group::{group} {operands}", TENSOR_CORES
    name = f"void cp_async_bulk_tensor_tile_scatter4(space_global_t, space_shared_t, const void*, {at}, const void*)"
    text = "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
    yield name, f"{text} [{{2:x}}, <{boxes(3, 5)}>], [{{4:s}}]", TENSOR_CORES


def reductions():
    halves = ("__half", "__nv_bfloat16")
    in_block = {"add": (U32, I32, U64, I64), "min": (U32, I32), "max": (U32, I32), "inc": (U32,), "dec": (U32,)}
    in_global = {
        "add": (U32, I32, U64, I64, "float", "double", *halves),
        "min": (U32, I32, U64, I64, *halves),
        "max": (U32, I32, U64, I64, *halves),
        "inc": (U32,),
        "dec": (U32,),
    }
    for space, operations, bitwise in (("cluster", in_block, (I32,)), ("global", in_global, (I32, I64))):
        for op, values in {**operations, **dict.fromkeys(BITWISE, bitwise)}.items():
            for value in values:
                word = f"{BITWISE[op]}.b{BITS[value]}" if op in BITWISE else f"{op}.{sum_type(value) if op == 'add' else ptx_type(value)}"
                if op == "add" and value in halves:
                    word = word.replace("add", "add.noftz")
                name = f"void cp_reduce_async_bulk(space_{space}_t, space_shared_t, op_{op}_t, {value}*, const {value}*, uint32_t"
                if space == "cluster":
                    text = f"cp.reduce.async.bulk.shared::cluster.shared::cta.{BYTES}.{word} [{{3:c}}], [{{4:s}}], {{5:r}}, [{{6:c}}]"
                    yield f"{name}, uint64_t*)", text, FROM_90
                else:
                    yield f"{name})", f"cp.reduce.async.bulk.global.shared::cta.bulk_group.{word} [{{3:g}}], [{{4:s}}], {{5:r}}", FROM_90


def multimem():
    numbers = (U32, I32, U64, I64)
    rows = [(op, value, f"{op}.{sum_type(value) if op == 'add' else ptx_type(value)}") for op in ("min", "max", "add") for value in numbers]
    rows += [(op, value, f"{word}.b{BITS[value]}") for op, word in BITWISE.items() for value in (I32, I64)]
    for op, value, word in rows:
        kind = register(value)
        name = f"{value} multimem_ld_reduce(sem_weak_t, op_{op}_t, const {value}*)"
        yield name, f"multimem.ld_reduce.weak.global.{word} {{out:{kind}}}, [{{2:g}}]", FROM_90
        for scope in SCOPES:
            for sem in ("relaxed", "acquire"):
                name = f"{value} multimem_ld_reduce(sem_{sem}_t, scope_{scope}_t, op_{op}_t, const {value}*)"
                yield name, f"multimem.ld_reduce.{sem}.{scope}.global.{word} {{out:{kind}}}, [{{3:g}}]", FROM_90
            for sem in ("relaxed", "release"):
                name = f"void multimem_red(sem_{sem}_t, scope_{scope}_t, op_{op}_t, {value}*, {value})"
                yield name, f"multimem.red.{sem}.{scope}.global.{word} [{{3:g}}], {{4:{kind}}}", FROM_90
    for value in (I32, I64):
        bits, kind = BITS[value], register(value)
        yield f"void multimem_st(sem_weak_t, {value}*, {value})", f"multimem.st.weak.global.b{bits} [{{1:g}}], {{2:{kind}}}", FROM_90
        for scope in SCOPES:
            for sem in ("relaxed", "release"):
                name = f"void multimem_st(sem_{sem}_t, scope_{scope}_t, {value}*, {value})"
                yield name, f"multimem.st.{sem}.{scope}.global.b{bits} [{{2:g}}], {{3:{kind}}}", FROM_90


def tensor_maps():
    for space, form, word in (("global", "g", "global"), ("shared", "s", "shared::cta")):

        def row(field, types, operands, archs=SPECIFIC, word=word, form=form, space=space, instruction=None):
            bits = "b64" if I64 in types else "b32"
            text = f"tensormap.replace.tile.{instruction or field}.{word}.b1024.{bits} [{{1:{form}}}], {operands}"
            return f"void tensormap_replace_{field}(space_{space}_t, void*, {types})", text, archs

        yield row("global_address", I64, "{2:l}")
        yield row("rank", I32, "{2:r}")
        for field in ("box_dim", "global_dim", "element_stride"):
            for dimension in (0, 4):
                yield row(field, f"n32_t<{dimension}>, {I32}", "{2:n}, {3:r}")
        yield row("element_size", f"n32_t<2>, {I32}", "{2:n}, {3:r}", instruction="element_stride")  # libcu++ has two names
        yield row("global_stride", f"n32_t<1>, {I64}", "{2:n}, {3:l}")
        for field in ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode"):
            yield row(field, "n32_t<1>", "{2:n}")
        yield row("swizzle_atomicity", "n32_t<1>", "{2:n}", SPECIFIC_100)
    for scope in SCOPES:
        name = f"void tensormap_cp_fenceproxy(sem_release_t, scope_{scope}_t, void*, const void*, n32_t<128>)"
        text = f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned"
        yield name, f"{text} [{{2:g}}], [{{3:s}}], {{4:n}}", FROM_90


def tensor_cores():
    for group in (1, 2):
        text = f"tcgen05.commit.cta_group::{group}.mbarrier::arrive::one.shared::cluster"
        yield f"void tcgen05_commit(cta_group_{group}_t, uint64_t*)", f"{text}.b64 [{{1:c}}]", TENSOR_CORES
        name = f"void tcgen05_commit_multicast(cta_group_{group}_t, uint64_t*, uint16_t)"
        yield name, f"{text}.multicast::cluster.b64 [{{1:c}}], {{2:h}}", TENSOR_CORES
    for when in ("before", "after"):
        yield f"void tcgen05_fence_{when}_thread_sync()", f"tcgen05.fence::{when}_thread_sync", TENSOR_CORES
    for what in ("ld", "st"):
        yield f"void tcgen05_wait_{what}()", f"tcgen05.wait::{what}.sync.aligned", TENSOR_CORES
    for what in ("inc", "dec"):
        yield f"void setmaxnreg_{what}(n32_t<64>)", f"setmaxnreg.{what}.sync.aligned.u32 {{0:n}}", SPECIFIC


FAMILIES = (mbarrier, fences, remote, copies, tensors, reductions, multimem, tensor_maps, tensor_cores)


def rows():
    for family in FAMILIES:
        for signature, instruction, archs in family():
            returns, function, parameters = re.fullmatch(r"(\w+) (\w+)\((.*)\)", signature).groups()
            words = tuple(word.strip() for word in parameters.split(",") if word.strip())
            yield Row(returns, function, words, instruction, tuple(archs))


def is_tag(parameter):
    return parameter.startswith("n32_t<") or re.fullmatch(r"(sem|scope|space|op|cta_group)_\w+_t", parameter)


def kernels(row, name):
    """The kernels ours_NAME and hand_NAME."""
    arguments, declarations, values, arrays = [], [], {}, []
    for index, parameter in enumerate(row.parameters):
        if is_tag(parameter):
            arguments.append(f"cuda::ptx::{parameter}{{}}")
        elif array := re.fullmatch(r"const (\w+) \(&\)\[(\d)\]", parameter):
            names = [f"argument_{index}_{element}" for element in range(int(array[2]))]
            declarations += [f"{array[1]} {word}" for word in names]
            values |= {f"{index}.{element}": word for element, word in enumerate(names)}
            arrays.append(f"const {array[1]} argument_{index}[{array[2]}] = {{{', '.join(names)}}};")
            arguments.append(f"argument_{index}")
        else:
            type = re.sub(r"^const (\w+)&$", r"\1", parameter)
            declarations.append(f"{type} argument_{index}")
            values[str(index)] = f"argument_{index}"
            arguments.append(f"argument_{index}")
    result = {"void": "", "bool": "unsigned*"}.get(row.returns, f"{row.returns}*")
    declared = ", ".join([*declarations, *([f"{result} result"] if result else [])])
    call = f"cuda::ptx::{row.function}({', '.join(arguments)})"
    bounds = " __launch_bounds__(128, 1)" if row.function.startswith("setmaxnreg") else ""
    start = f'extern "C" __global__ void{bounds}'
    ours = f"{start} ours_{name}({declared}) {{ {' '.join(arrays)} {'*result = ' if result else ''}{call}; }}"

    inputs, has_predicate = [], "{out:p}" in row.instruction
    outputs = ['"=r"(out)'] if has_predicate else [f'"={kind}"(out)' for kind in re.findall(r"\{out:(\w)\}", row.instruction)]

    def operand(match):
        if match[1] == "out":
            return "done" if match[2] == "p" else "%0"
        number = len(outputs) + len(inputs)
        if match[2] == "n":
            inputs.append(f'"n"({re.search(r"<(.*)>", row.parameters[int(match[1])])[1]})')
            return f"%{number}"
        value = values[match[1]]
        inputs.append(
            {
                "c": f'"r"(static_cast<unsigned>(__cvta_generic_to_shared({value})))',
                "s": f'"r"(static_cast<unsigned>(__cvta_generic_to_shared({value})))',
                "g": f'"l"(__cvta_generic_to_global({value}))',
                "x": f'"l"({value})',
            }.get(match[2], f'"{match[2]}"({value})')
        )
        return f"%{number}"

    text = re.sub(r"\{([\w.]+):(\w)\}", operand, row.instruction).replace("<", "{").replace(">", "}")
    text = f"{{ .reg .pred done; {text}; selp.u32 %0, 1, 0, done; }}" if has_predicate else f"{text};"
    assembly = f'asm volatile("{text}" : {", ".join(outputs)} : {", ".join(inputs)} : "memory");'
    local = f"{'unsigned' if has_predicate else row.returns} out; " if result else ""
    stored = "*result = out != 0;" if has_predicate else "*result = out;" if result else ""
    return f"{ours}\n{start} hand_{name}({declared}) {{ {local}{assembly} {stored} }}\n"


def address(row):
    pointer = f"{row.returns} (*)({', '.join(f'cuda::ptx::{word}' if is_tag(word) else word for word in row.parameters)})"
    return f"  *addresses++ = reinterpret_cast<void*>(static_cast<{pointer}>(cuda::ptx::{row.function}));\n"


def instructions(ptx):
    """{kernel: its instructions, without registers and housekeeping}."""
    found = {}
    for match in re.finditer(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", ptx, re.DOTALL):
        words = re.findall(r"^\s*(?:\{ *\.reg \.pred \w+; )?([a-z][\w.:]*)(?=[ ;])", match[2], re.MULTILINE)
        found[match[1]] = [word for word in words if not re.match(r"ld\.param|cvta|cvt\.|mov\.|ret$|st\.global|selp|setp|add\.s64|shfl", word)]
    return found


def wrong_rows(text, name, arch, chosen):
    """Compiles the text with the kernels of these rows; returns a line for each row that is wrong."""
    pairs = "".join(kernels(row, f"{index}_{row.function}") for index, row in enumerate(chosen))
    # ptxas ignores setmaxnreg, with a warning, in a function that is not inlined.
    taken = "".join(address(row) for row in chosen if not row.function.startswith("setmaxnreg"))
    # In one unit, the functions whose addresses are taken would change the code of kernels.
    kernel = f'extern "C" __global__ void addresses_of_all(void** addresses) {{\n{taken}}}\n'
    for part in (kernel, pairs):
        (cubin, ptx), log = nvrtc.compile_to(("CUBIN", "PTX"), f"{text}\n{part}", name, arch, ["--ptxas-options=-w"])
        if cubin is None or log:
            raise Failure(f"NVRTC for sm_{arch}:\n{log[:4000]}")
    code, written = sass.code(cubin), instructions(ptx.decode())
    for index, row in enumerate(chosen):
        kernel = f"{index}_{row.function}"
        expected = row.instruction.split()[0]
        if written[f"ours_{kernel}"] != [expected]:
            yield f"{row.function}{row.parameters}: {written[f'ours_{kernel}']} instead of {expected}"
        elif code[f"ours_{kernel}"] != code[f"hand_{kernel}"]:
            yield f"{row.function}{row.parameters}: the SASS differs from that of {row.instruction}"


def run(text, name, archs):
    """Checks the rows of each architecture; returns a report."""
    reports = []
    for arch in archs:
        chosen = [row for row in rows() if arch in row.archs]
        of_pairs = [row for row in chosen if "cta_group_2_t" in row.parameters]  # no program may have both groups
        wrong = [line for part in ([row for row in chosen if row not in of_pairs], of_pairs) if part for line in wrong_rows(text, name, arch, part)]
        if wrong:
            raise Failure("\n".join([f"sm_{arch}: {len(wrong)} of {len(chosen)} functions", *wrong[:40]]))
        reports.append(f"sm_{arch}: {len(chosen)} functions")
    return "\n".join(reports)
