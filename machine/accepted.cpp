// The table of the instructions that the machine implements, each with its modifiers and types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accepted.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace model {
namespace {

using words = std::vector<std::string_view>;

// A row has a name, and places for the words behind it. A place with a question mark may stay empty, and those words that
// are separated by bars exclude each other. Words may come in any order, as ptxas accepts them, but of two places that
// take the same word, the first comes first: the result's type is before the operand's.
const char* const table[] = {
    // clang-format off
    // Integers
    "abs s16|s32|s64",
    "add u16|u32|u64|s16|s64|u16x2|s16x2",
    "add ?sat s32",
    "add cc u32|s32|u64|s64",
    "addc ?cc u32|s32|u64|s64",
    "bfe u32|u64|s32|s64",
    "bfi b32|b64",
    "bfind ?shiftamt u32|u64|s32|s64",
    "bmsk clamp|wrap b32",
    "brev b32|b64",
    "clz b32|b64",
    "div u16|u32|u64|s16|s32|s64",
    "dp2a lo|hi u32|s32 u32|s32",
    "dp4a u32|s32 u32|s32",
    "fns b32",
    "mad lo|hi|wide u16|u32|s16|s32",
    "mad lo|hi u64|s64",
    "mad lo|hi cc u32|s32|u64|s64",
    "mad hi sat s32",
    "mad24 lo|hi u32|s32",
    "mad24 hi sat s32",
    "madc lo|hi ?cc u32|s32|u64|s64",
    "max|min u16|u32|u64|s16|s64|u16x2",
    "max|min ?relu s32|s16x2",
    "mul lo|hi|wide u16|u32|s16|s32",
    "mul lo|hi u64|s64",
    "mul24 lo|hi u32|s32",
    "neg s16|s32|s64",
    "popc b32|b64",
    "rem u16|u32|u64|s16|s32|s64",
    "sad u16|u32|u64|s16|s32|s64",
    "sub u16|u32|u64|s16|s64",
    "sub ?sat s32",
    "sub cc u32|s32|u64|s64",
    "subc ?cc u32|s32|u64|s64",
    "szext clamp|wrap u32|s32",
    "vabsdiff2|vabsdiff4 u32 u32 u32 ?add",
    // Floating-point numbers
    "abs f64|bf16|bf16x2",
    "abs ?ftz f32|f16|f16x2",
    "add|sub|mul ?$round ?ftz ?sat f32",
    "add|sub|mul ?$round f64",
    "add|sub|mul ?$round ?ftz f32x2",
    "add|sub|mul ?rn ?ftz ?sat f16|f16x2",
    "add|sub|mul ?rn bf16|bf16x2",
    "copysign f32|f64",
    "cos|sin|lg2 approx ?ftz f32",
    "div approx|full ?ftz f32",
    "div $round ?ftz f32",
    "div $round f64",
    "ex2 approx ?ftz f32",
    "ex2 approx f16|f16x2",
    "ex2 approx ftz bf16|bf16x2",
    "fma $round ?ftz ?sat f32",
    "fma $round f64",
    "fma $round ?ftz f32x2",
    "fma rn ?ftz ?sat|relu f16|f16x2",
    "fma rn ?relu bf16|bf16x2",
    "mad $round ?ftz ?sat f32",
    "mad $round f64",
    "max|min f64",
    "max|min ?ftz ?NaN f32",
    "max|min ?ftz ?NaN xorsign abs f32",
    "max|min ?ftz ?NaN f16|f16x2",
    "max|min ?ftz ?NaN xorsign abs f16|f16x2",
    "max|min ?NaN bf16|bf16x2",
    "max|min ?NaN xorsign abs bf16|bf16x2",
    "neg f64|bf16|bf16x2",
    "neg ?ftz f32|f16|f16x2",
    "rcp|sqrt approx|rn|rz|rm|rp ?ftz f32",
    "rcp|sqrt $round f64",
    "rcp approx ftz f64",
    "rsqrt approx ?ftz f32|f64",
    "tanh approx f32|f16|f16x2|bf16|bf16x2",
    "testp finite|infinite|number|notanumber|normal|subnormal f32|f64",
    // Conversions
    "cvt $integer $integer",
    "cvt sat u8|u16|u32|u64|s8|s16|s32 $integer",
    "cvt $round ?sat f16|f64 $integer",
    "cvt $round ?ftz ?sat f32 $integer",
    "cvt $round bf16 $integer",
    "cvt rni|rzi|rmi|rpi ?sat $integer f16|f64",
    "cvt rni|rzi|rmi|rpi ?ftz ?sat $integer f32",
    "cvt rni|rzi|rmi|rpi $integer bf16",
    "cvt ?rni|rzi|rmi|rpi ?sat f16 f16",
    "cvt ?rni|rzi|rmi|rpi ?ftz ?sat f32 f32",
    "cvt ?rni|rzi|rmi|rpi ?sat f64 f64",
    "cvt ?rni|rzi|rmi|rpi bf16 bf16",
    "cvt ?ftz ?sat f32 f16",
    "cvt ?sat f64 f16",
    "cvt ?ftz ?sat f64 f32",
    "cvt ?ftz f32 bf16",
    "cvt f64 bf16",
    "cvt $round ?ftz ?sat f32 f64",
    "cvt $round ?ftz ?sat f16 f32",
    "cvt $round ?sat f16 f64",
    "cvt ?rn|rz|rm|rp bf16 f16",
    "cvt f16 bf16",
    "cvt $round bf16 f64",
    "cvt rn|rz ?relu ?satfinite f16 f32",
    "cvt rn|rz|rm|rp bf16 f32",
    "cvt rn ftz bf16 f32",
    "cvt rn|rz ?relu ?satfinite bf16 f32",
    "cvt rn|rz ?relu ?satfinite f16x2|bf16x2 f32",
    "cvt rna ?satfinite tf32 f32",
    "cvt rn|rz ?satfinite ?relu tf32 f32",
    "cvt rn satfinite ?relu e4m3x2|e5m2x2 f32|f16x2",
    "cvt rn ?relu f16x2 e4m3x2|e5m2x2",
    "cvt pack sat u16|s16 s32",
    "cvt pack sat u8|s8|u4|s4|u2|s2 s32 b32",
    // Bits, comparisons and moves
    "and|or|xor|not pred|b16|b32|b64",
    "cnot|shl b16|b32|b64",
    "lop3 b32",
    "lop3 and|or b32",
    "mov pred|b16|b32|b64|b128|u16|u32|u64|s16|s32|s64|f32|f64",
    "prmt b32 ?f4e|b4e|rc8|ecl|ecr|rc16",
    "selp b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
    "set eq|ne ?and|or|xor u32|s32|f32|f16|bf16 b16|b32|b64",
    "set $compare ?and|or|xor u32|s32|f32|f16|bf16 u16|u32|u64",
    "set $compare_signed ?and|or|xor u32|s32|f32|f16|bf16 s16|s32|s64",
    "set $compare_float ?and|or|xor ?ftz u32|s32|f32|f16 f32",
    "set $compare_float ?and|or|xor bf16 f32",
    "set $compare_float ?and|or|xor u32|s32|f32|f16|bf16 f64",
    "set $compare_float ?and|or|xor ?ftz f16|u16|s16|u32|s32 f16",
    "set $compare_float ?and|or|xor bf16 f16",
    "set $compare_float ?and|or|xor bf16|u16|s16|u32|s32 bf16",
    "set $compare_float ?and|or|xor ?ftz f16x2|u32|s32 f16x2",
    "set $compare_float ?and|or|xor bf16x2|u32|s32 bf16x2",
    "setp eq|ne ?and|or|xor b16|b32|b64",
    "setp $compare ?and|or|xor u16|u32|u64",
    "setp $compare_signed ?and|or|xor s16|s32|s64",
    "setp $compare_float ?and|or|xor ?ftz f32|f16|f16x2",
    "setp $compare_float ?and|or|xor f64|bf16|bf16x2",
    "shf l|r clamp|wrap b32",
    "shr b16|b32|b64|$wide_integer",
    "slct b16|b32|b64|$wide_integer|f32|f64 s32",
    "slct ?ftz b16|b32|b64|$wide_integer|f32|f64 f32",
    // Addresses
    "cvta ?to global|shared|shared::cta|shared::cluster|local|const|param|param::entry u32|u64",
    "getctarank ?shared::cluster u32|u64",
    "isspacep global|shared|shared::cta|shared::cluster|local|const|param|param::entry",
    "mapa ?shared::cluster u32|u64",
    // Memory
    "applypriority ?global L2::evict_normal",
    "atom ?$memory_order ?$scope ?$atomic_space and|or|xor ?L2::cache_hint b32|b64",
    "atom ?$memory_order ?$scope ?$atomic_space exch ?L2::cache_hint b32|b64|b128",
    "atom ?$memory_order ?$scope ?$atomic_space cas ?L2::cache_hint b16|b32|b64|b128",
    "atom ?$memory_order ?$scope ?$atomic_space add ?L2::cache_hint u32|s32|u64|f32|f64",
    "atom ?$memory_order ?$scope ?$atomic_space add noftz ?L2::cache_hint f16|f16x2|bf16|bf16x2",
    "atom ?$memory_order ?$scope ?$atomic_space inc|dec ?L2::cache_hint u32",
    "atom ?$memory_order ?$scope ?$atomic_space min|max ?L2::cache_hint u32|s32|u64|s64",
    "atom ?$memory_order ?$scope ?global add ?L2::cache_hint v2|v4 f32",
    "atom ?$memory_order ?$scope ?global add|min|max noftz ?L2::cache_hint v2|v4|v8 f16|bf16",
    "atom ?$memory_order ?$scope ?global add|min|max noftz ?L2::cache_hint v2|v4 f16x2|bf16x2",
    "createpolicy fractional L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
        "?L2::evict_first|L2::evict_unchanged b64",
    "createpolicy range ?global L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged "
        "?L2::evict_first|L2::evict_unchanged b64",
    "createpolicy cvt L2 b64",
    "discard ?global L2",
    "fence acq_rel|sc|acquire|release $scope",
    "fence acquire sync_restrict::shared::cluster cluster",
    "fence release sync_restrict::shared::cta cluster",
    "fence mbarrier_init release cluster",
    "fence proxy alias",
    "fence proxy async ?global|shared::cta|shared::cluster",
    "fence proxy async::generic acquire sync_restrict::shared::cluster cluster",
    "fence proxy async::generic release sync_restrict::shared::cta cluster",
    "fence proxy tensormap::generic acquire|release $scope",
    "ld ?weak|volatile ?$load_space ?$vector $data",
    "ld ?weak ?$load_space ?ca|cg|cs|lu|cv ?$L1 ?L2::cache_hint ?L2::64B|L2::128B|L2::256B ?$vector $data",
    "ld relaxed|acquire $scope ?$load_space ?$L1 ?L2::cache_hint ?L2::64B|L2::128B|L2::256B ?$vector $data",
    "ld global ?nc ?$L1 $L2_priority ?L2::cache_hint ?L2::64B|L2::128B|L2::256B v8 b32|u32|s32|f32",
    "ld global ?nc ?$L1 $L2_priority ?L2::cache_hint ?L2::64B|L2::128B|L2::256B v4 b64|u64|s64|f64",
    "ld mmio relaxed sys ?global $data",
    "ld global ?ca|cg|cs nc ?$L1 ?L2::cache_hint ?L2::64B|L2::128B|L2::256B ?$vector $data",
    "ldu ?global ?v2 $data",
    "membar cta|gl|sys",
    "tex 1d|a1d|2d|a2d|3d v4 u32|s32|f32 s32|f32",
    "tex level 1d|a1d|2d|a2d|3d v4 u32|s32|f32 f32",
    "suld|sust b 1d|a1d|2d|a2d|3d ?v2|v4 b8|b16|b32 trap|clamp|zero",
    "suld|sust b 1d|a1d|2d|a2d|3d ?v2 b64 trap|clamp|zero",
    "multimem st ?weak ?global $plain",
    "multimem st relaxed|release $scope ?global $plain",
    "prefetch ?global|local L1|L2",
    "prefetch global L2::evict_last|L2::evict_normal",
    "prefetch ?const|param tensormap",
    "prefetchu L1",
    "red ?relaxed|release ?$scope ?$atomic_space and|or|xor ?L2::cache_hint b32|b64",
    "red ?relaxed|release ?$scope ?$atomic_space add ?L2::cache_hint u32|s32|u64|f32|f64",
    "red ?relaxed|release ?$scope ?$atomic_space add noftz ?L2::cache_hint f16|f16x2|bf16|bf16x2",
    "red ?relaxed|release ?$scope ?$atomic_space inc|dec ?L2::cache_hint u32",
    "red ?relaxed|release ?$scope ?$atomic_space min|max ?L2::cache_hint u32|s32|u64|s64",
    "red ?relaxed|release ?$scope ?global add ?L2::cache_hint v2|v4 f32",
    "red ?relaxed|release ?$scope ?global add|min|max noftz ?L2::cache_hint v2|v4|v8 f16|bf16",
    "red ?relaxed|release ?$scope ?global add|min|max noftz ?L2::cache_hint v2|v4 f16x2|bf16x2",
    "st ?weak|volatile ?$store_space ?$vector $data",
    "st ?weak ?$store_space ?wb|cg|cs|wt ?$L1 ?L2::cache_hint ?$vector $data",
    "st relaxed|release $scope ?$store_space ?$L1 ?L2::cache_hint ?$vector $data",
    "st global ?$L1 $L2_priority ?L2::cache_hint v8 b32|u32|s32|f32",
    "st global ?$L1 $L2_priority ?L2::cache_hint v4 b64|u64|s64|f64",
    "st mmio relaxed sys ?global $data",
    // Warps
    "activemask b32",
    "bar warp sync",
    "elect sync",
    "match any|all sync b32|b64",
    "redux sync add|min|max u32|s32",
    "redux sync and|or|xor b32",
    "redux sync min|max ?abs ?NaN f32",
    "shfl sync up|down|bfly|idx b32",
    "vote sync all|any|uni pred",
    "vote sync ballot b32",
    // Barriers
    "bar ?cta sync|arrive",
    "bar ?cta red popc u32",
    "bar ?cta red and|or pred",
    "barrier ?cta sync|arrive ?aligned",
    "barrier ?cta red popc ?aligned u32",
    "barrier ?cta red and|or ?aligned pred",
    "barrier cluster arrive ?release|relaxed ?aligned",
    "barrier cluster wait ?acquire ?aligned",
    "mbarrier init|inval ?$shared b64",
    "mbarrier expect_tx|complete_tx ?$all_shared b64",
    "mbarrier expect_tx|complete_tx relaxed $cluster_scope ?$all_shared b64",
    "mbarrier arrive|arrive_drop ?$all_shared b64",
    "mbarrier arrive|arrive_drop release|relaxed $cluster_scope ?$all_shared b64",
    "mbarrier arrive|arrive_drop expect_tx ?$all_shared b64",
    "mbarrier arrive|arrive_drop expect_tx release|relaxed $cluster_scope ?$all_shared b64",
    "mbarrier arrive|arrive_drop noComplete ?$shared b64",
    "mbarrier arrive|arrive_drop noComplete release cta ?$shared b64",
    "mbarrier pending_count b64",
    "mbarrier test_wait|try_wait ?parity ?$shared b64",
    "mbarrier test_wait|try_wait ?parity acquire|relaxed $cluster_scope ?$shared b64",
    // Copies
    "cp async ca|cg $shared global ?L2::cache_hint ?L2::64B|L2::128B|L2::256B",
    "cp async commit_group|wait_group|wait_all",
    "cp async mbarrier arrive ?noinc ?$shared b64",
    "cp async bulk commit_group",
    "cp async bulk wait_group ?read",
    "cp async bulk shared::cluster|shared::cta global mbarrier::complete_tx::bytes ?multicast::cluster ?L2::cache_hint",
    "cp async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
    "cp async bulk global shared::cta bulk_group ?L2::cache_hint",
    "cp async bulk prefetch L2 global ?L2::cache_hint",
    "cp async bulk tensor $rank shared::cluster|shared::cta global ?tile|im2col mbarrier::complete_tx::bytes "
        "?multicast::cluster ?cta_group::1|cta_group::2 ?L2::cache_hint",
    "cp async bulk tensor $rank global shared::cta ?tile|im2col_no_offs bulk_group ?L2::cache_hint",
    "cp async bulk prefetch tensor $rank L2 global ?tile|im2col ?L2::cache_hint",
    "cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes and|or|xor b32|b64",
    "cp reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes add|inc|dec|min|max u32|s32|u64|s64",
    "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint and|or|xor b32|b64",
    "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint add u32|s32|u64|f32|f64",
    "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint inc|dec u32",
    "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint min|max u32|s32|u64|s64|f16|bf16",
    "cp reduce async bulk global shared::cta bulk_group ?L2::cache_hint add noftz f16|bf16",
    "cp reduce async bulk tensor $rank global shared::cta add|min|max|inc|dec|and|or|xor ?tile|im2col_no_offs "
        "bulk_group ?L2::cache_hint",
    "red async ?relaxed ?cluster ?shared::cluster mbarrier::complete_tx::bytes and|or|xor b32",
    "red async ?relaxed ?cluster ?shared::cluster mbarrier::complete_tx::bytes add u32|s32|u64",
    "red async ?relaxed ?cluster ?shared::cluster mbarrier::complete_tx::bytes inc|dec u32",
    "red async ?relaxed ?cluster ?shared::cluster mbarrier::complete_tx::bytes min|max u32|s32",
    "st async ?weak ?shared::cluster mbarrier::complete_tx::bytes ?v2|v4 b32|b64|u32|u64|s32|s64|f32|f64",
    "tensormap replace tile global_address|global_stride ?global|shared::cta b1024 b64",
    "tensormap replace tile rank|box_dim|global_dim|element_stride|elemtype|interleave_layout|swizzle_mode|fill_mode "
        "?global|shared::cta b1024 b32",
    "tensormap cp_fenceproxy global shared::cta tensormap::generic release $scope sync aligned",
    // Matrices
    "ldmatrix sync aligned m8n8 x1|x2|x4 ?trans ?$shared b16",
    "movmatrix sync aligned m8n8 trans b16",
    "stmatrix sync aligned m8n8 x1|x2|x4 ?trans ?$shared b16",
    "mma sync aligned m8n8k4 row|col row|col f16 f16 f16 f16",
    "mma sync aligned m8n8k4 row|col row|col f32 f16 f16 f16|f32",
    "mma sync aligned m16n8k8|m16n8k16 row col f16 f16 f16 f16",
    "mma sync aligned m16n8k8|m16n8k16 row col f32 f16 f16 f32",
    "mma sync aligned m16n8k8|m16n8k16 row col f32 bf16 bf16 f32",
    "mma sync aligned m16n8k4|m16n8k8 row col f32 tf32 tf32 f32",
    "mma sync aligned m16n8k16|m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16",
    "mma sync aligned m16n8k16|m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32",
    "mma sync aligned m8n8k4|m16n8k4|m16n8k8|m16n8k16 row col ?$round f64 f64 f64 f64",
    "mma sync aligned m8n8k16|m16n8k16|m16n8k32 row col ?satfinite s32 u8|s8 u8|s8 s32",
    "mma sync aligned m8n8k32|m16n8k32|m16n8k64 row col ?satfinite s32 u4|s4 u4|s4 s32",
    "mma sync aligned m8n8k128|m16n8k128|m16n8k256 row col s32 b1 b1 s32 xor|and popc",
    "wmma load a|b|c sync aligned row|col m16n16k16|m32n8k16|m8n32k16 ?global|$shared f16",
    "wmma load a|b sync aligned row|col m16n16k16|m32n8k16|m8n32k16 ?global|$shared bf16|u8|s8",
    "wmma load c sync aligned row|col m16n16k16|m32n8k16|m8n32k16 ?global|$shared f32|s32",
    "wmma load a|b sync aligned row|col m16n16k8 ?global|$shared tf32",
    "wmma load c sync aligned row|col m16n16k8 ?global|$shared f32",
    "wmma load a|b|c sync aligned row|col m8n8k4 ?global|$shared f64",
    "wmma store d sync aligned row|col m16n16k16|m32n8k16|m8n32k16 ?global|$shared f16|f32|s32",
    "wmma store d sync aligned row|col m16n16k8 ?global|$shared f32",
    "wmma store d sync aligned row|col m8n8k4 ?global|$shared f64",
    "wmma mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 f16|f32 f16|f32",
    "wmma mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 f32 bf16 bf16 f32",
    "wmma mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32",
    "wmma mma sync aligned row|col row|col m8n8k4 ?$round f64 f64 f64 f64",
    "wmma mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 s32 u8 u8 s32 ?satfinite",
    "wmma mma sync aligned row|col row|col m16n16k16|m32n8k16|m8n32k16 s32 s8 s8 s32 ?satfinite",
    "wgmma commit_group sync aligned",
    "wgmma fence sync aligned",
    "wgmma wait_group sync aligned",
    "wgmma mma_async sync aligned $warpgroup_k16 f16|f32 f16 f16",
    "wgmma mma_async sync aligned $warpgroup_k16 f32 bf16 bf16",
    "wgmma mma_async sync aligned $warpgroup_k8 f32 tf32 tf32",
    "wgmma mma_async sync aligned $warpgroup_k32 f16|f32 e4m3|e5m2 e4m3|e5m2",
    "wgmma mma_async sync aligned $warpgroup_integers_k32 ?satfinite s32 u8|s8 u8|s8",
    "tcgen05 alloc cta_group::1|cta_group::2 sync aligned ?shared::cta b32",
    "tcgen05 dealloc cta_group::1|cta_group::2 sync aligned b32",
    "tcgen05 relinquish_alloc_permit cta_group::1|cta_group::2 sync aligned",
    "tcgen05 commit cta_group::1|cta_group::2 mbarrier::arrive::one ?shared::cluster ?multicast::cluster b64",
    "tcgen05 fence::before_thread_sync|fence::after_thread_sync",
    "tcgen05 ld|st sync aligned 32x32b|16x64b|16x32bx2 x1|x2|x4|x8|x16|x32|x64|x128 b32",
    "tcgen05 ld|st sync aligned 16x128b x1|x2|x4|x8|x16|x32|x64 b32",
    "tcgen05 ld|st sync aligned 16x256b x1|x2|x4|x8|x16|x32 b32",
    "tcgen05 mma cta_group::1|cta_group::2 kind::f16|kind::tf32|kind::f8f6f4|kind::i8",
    "tcgen05 wait::ld|wait::st sync aligned",
    // Control
    "bra ?uni", "brkpt", "brx idx ?uni", "call ?uni", "exit", "ret ?uni", "trap",
    "griddepcontrol launch_dependents|wait",
    "nanosleep u32",
    "alloca|stacksave|stackrestore u32|u64",
    "pmevent ?mask",
    "setmaxnreg inc|dec sync aligned u32",
    "clusterlaunchcontrol try_cancel async ?shared::cta mbarrier::complete_tx::bytes ?multicast::cluster::all b128",
    "clusterlaunchcontrol query_cancel is_canceled pred b128",
    "clusterlaunchcontrol query_cancel get_first_ctaid v4 b32 b128",
    "clusterlaunchcontrol query_cancel get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z b32 b128",
    // clang-format on
};

const std::pair<std::string_view, const char*> groups[] = {
    {"$round", "rn|rz|rm|rp"},
    {"$integer", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"$wide_integer", "u16|u32|u64|s16|s32|s64"},
    {"$plain", "b32|b64|u32|u64|s32|s64|f32|f64|f16x2|bf16x2"},
    {"$data", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"$compare", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"$compare_signed", "eq|ne|lt|le|gt|ge"},
    {"$compare_float", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"$memory_order", "relaxed|acquire|release|acq_rel"},
    {"$scope", "cta|cluster|gpu|sys"},
    {"$cluster_scope", "cta|cluster"},
    {"$shared", "shared|shared::cta"},
    {"$all_shared", "shared|shared::cta|shared::cluster"},
    {"$atomic_space", "global|shared|shared::cta|shared::cluster"},
    {"$load_space", "global|shared|shared::cta|shared::cluster|local|const|param|param::entry|param::func"},
    {"$store_space", "global|shared|shared::cta|shared::cluster|local|param|param::func"},
    {"$vector", "v2|v4|v8"},
    {"$L1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"$L2_priority", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"$rank", "1d|2d|3d|4d|5d"},
};

words split(std::string_view text, char at) {
  words found;
  for (size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find(at), text.size());
    if (end != 0) found.push_back(text.substr(0, end));
  }
  return found;
}

// m64n8k16 to m64n256k16, and so on. "integers_k32": fewer.
std::string warpgroup_shapes(std::string_view depth) {
  const size_t end = depth.find('_');
  const bool has_all = end == std::string_view::npos;
  if (!has_all) depth.remove_prefix(end + 1);
  std::string all;
  for (int columns = 8; columns <= 256; columns += has_all || columns < 32 ? 8 : 16)
    all += (all.empty() ? "m64n" : "|m64n") + std::to_string(columns) + std::string(depth);
  return all;
}

std::string expanded(std::string_view row) {
  std::string made;
  for (size_t at = 0; at < row.size();) {
    if (row[at] != '$') {
      made += row[at++];
      continue;
    }
    const size_t end = std::min(row.find_first_of(" |", at), row.size());
    const std::string_view name = row.substr(at, end - at);
    constexpr std::string_view shapes = "$warpgroup_";
    if (name.substr(0, shapes.size()) == shapes)
      made += warpgroup_shapes(name.substr(shapes.size()));
    else
      made += std::find_if(std::begin(groups), std::end(groups), [&](const auto& each) {
                return each.first == name;
              })->second;
    at = end;
  }
  return made;
}

struct place {
  bool is_optional;
  words any_of;
};

// By name. The text of the words is kept for the whole run.
const std::unordered_map<std::string_view, std::vector<std::vector<place>>>& rows() {
  static const auto* const all = [] {
    auto* const made = new std::unordered_map<std::string_view, std::vector<std::vector<place>>>;
    for (const char* const row : table) {
      const std::string& text = *new std::string(expanded(row));
      std::vector<place> places;
      words names;
      for (std::string_view part : split(text, ' ')) {
        if (names.empty()) {
          names = split(part, '|');
          continue;
        }
        const bool is_optional = part[0] == '?';
        part.remove_prefix(is_optional ? 1 : 0);
        places.push_back({is_optional, split(part, '|')});
      }
      for (const std::string_view name : names)
        (*made)[name].push_back(places);
    }
    return made;
  }();
  return *all;
}

// How many words have a place in a row before the first that has none; one more than there are, if all have one and no place
// stays empty that must not.
size_t fit(const words& given, const std::vector<place>& row) {
  std::vector<bool> is_taken(row.size());
  for (size_t index = 1; index < given.size(); ++index) {
    size_t at = 0;
    while (at < row.size() && (is_taken[at] || std::find(row[at].any_of.begin(), row[at].any_of.end(), given[index]) ==
                                                   row[at].any_of.end()))
      ++at;
    if (at == row.size()) return index;
    is_taken[at] = true;
  }
  for (size_t at = 0; at < row.size(); ++at)
    if (!is_taken[at] && !row[at].is_optional) return given.size();
  return given.size() + 1;
}

}  // namespace

std::string_view find_unknown_word(const words& given) {
  const auto found = rows().find(given[0]);
  if (found == rows().end()) return given[0];
  size_t best = 0;
  for (const std::vector<place>& row : found->second)
    best = std::max(best, fit(given, row));
  if (best > given.size()) return {};
  return best == given.size() ? given.back() : given[best];
}

std::vector<std::string_view> split_at_dots(std::string_view text) {
  return split(text, '.');
}

std::string accepted_forms() {
  std::string all;
  for (const char* const row : table)
    all += expanded(row) + "\n";
  return all;
}

}  // namespace model
