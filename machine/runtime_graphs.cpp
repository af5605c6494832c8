// Graphs: captured from streams, or made of nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_graph.h"
#include "runtime_memory.h"
#include "runtime_unsupported.h"

#include <algorithm>
#include <atomic>

namespace model {

node& graph::add(cudaGraphNodeType type, std::vector<node*> after, action what) {
  std::unique_ptr<node> made(new node);
  made->type = type;
  made->after = std::move(after);
  made->what = std::move(what);
  nodes.push_back(std::move(made));
  return *nodes.back();
}

node& add_node(graph& to, cudaGraphNodeType type, std::vector<node*> after, action what, bool may_begin_early) {
  node& made = to.add(type, std::move(after), std::move(what));
  if (may_begin_early && made.after.size() == 1) made.beside = made.after;
  return made;
}

std::shared_ptr<graph> clone(const graph& of) {
  const auto made = std::make_shared<graph>();
  made->first = of.first;
  made->at_launch = of.at_launch;
  std::map<const node*, node*> same;
  for (const auto& each : of.nodes) {
    made->nodes.push_back(std::make_unique<node>(*each));
    same[each.get()] = made->nodes.back().get();
  }
  for (const auto& each : made->nodes)
    for (std::vector<node*>* all : {&each->after, &each->beside})
      for (node*& before : *all)
        before = same.at(before);
  return made;
}

namespace {

// Of a graph: the nodes keep their places.
struct executable {
  std::shared_ptr<graph> content;
  work_number last = 0;               // of its last launch
  std::map<const node*, node*> same;  // by the node of the graph that it was made of
};

std::atomic<bool> was_launched{false};  // any graph

graph& graph_of(cudaGraph_t handle) {
  return *reinterpret_cast<graph*>(handle);
}
executable& executable_of(cudaGraphExec_t handle) {
  return *reinterpret_cast<executable*>(handle);
}
node& node_of(cudaGraphNode_t handle) {
  return *reinterpret_cast<node*>(handle);
}
cudaGraphNode_t handle_of(const node& which) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<node*>(&which));
}

cudaError_t replace(node& which, action what) {
  which.what = std::move(what);
  return cudaSuccess;
}
// The node of an executable that was made of one of a graph.
node* same_in(cudaGraphExec_t in, cudaGraphNode_t as) {
  const executable& all = executable_of(in);
  const auto at = all.same.find(&node_of(as));
  return at == all.same.end() ? nullptr : at->second;
}
cudaError_t replace(cudaGraphExec_t in, cudaGraphNode_t as, action what) {
  node* const which = same_in(in, as);
  return which == nullptr ? result(cudaErrorInvalidValue) : replace(*which, std::move(what));
}

cudaError_t action_of(const cudaKernelNodeParams& what, action& made) {
  const registered_kernel* const kernel = kernel_of(what.func);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  launch_shape shape;
  shape.grid = what.gridDim;
  shape.block = what.blockDim;
  shape.shared_bytes = what.sharedMemBytes;
  return prepare_launch(*kernel, shape, what.kernelParams, what.extra, made);
}
action action_of(const copy_of_rows& what) {
  return [=] { what.run(); };
}
action action_of(const cudaMemsetParams& what) {
  return [=] { fill(what); };
}
action action_of(const cudaHostNodeParams& what) {
  return [=] {
    what.fn(what.userData);
    work_queue::only().tell_host();
  };
}

// Returns the last work.
std::vector<work_number> add_work(const graph& of, const std::vector<work_number>& before, const std::string& where) {
  std::map<const node*, std::vector<work_number>> done;
  std::vector<work_number> all = before;
  for (const auto& each : of.nodes) {
    std::vector<work_number> after = before;
    early_begin early{{}, each->lets_next_begin};
    for (const node* other : each->after)
      after.insert(after.end(), done[other].begin(), done[other].end());
    for (const node* other : each->beside)
      early.beside.insert(early.beside.end(), done[other].begin(), done[other].end());
    if (each->child != nullptr)
      after = add_work(*each->child, after, where);
    else
      after = {work_queue::only().add(after, each->is_enabled ? each->what : [] {}, where, std::move(early))};
    all.insert(all.end(), after.begin(), after.end());
    done[each.get()] = std::move(after);
  }
  return all;
}

// Copies as many as fit; the count is that of all.
cudaError_t list(const std::vector<node*>& all, cudaGraphNode_t* nodes, size_t* count) {
  for (size_t index = 0; nodes != nullptr && index < std::min(*count, all.size()); ++index)
    nodes[index] = handle_of(*all[index]);
  *count = all.size();
  return cudaSuccess;
}

}  // namespace

cudaError_t add_node(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                     cudaGraphNodeType type, action what) {
  const runtime_lock lock(runtime_mutex());
  std::vector<node*> before;
  for (size_t index = 0; index < count; ++index)
    before.push_back(&node_of(after[index]));
  *made = handle_of(graph_of(to).add(type, before, std::move(what)));
  return cudaSuccess;
}

// The nodes stay in an order in which each comes after those that it waits for.
cudaError_t add_dependencies(cudaGraph_t in, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
  for (size_t index = 0; index < count; ++index)
    node_of(to[index]).after.push_back(&node_of(from[index]));
  graph& all = graph_of(in);
  std::vector<std::unique_ptr<node>> left = std::move(all.nodes), sorted;
  const auto is_left = [&](const node* which) {
    return std::any_of(left.begin(), left.end(), [=](const auto& each) { return each.get() == which; });
  };
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](const auto& each) {
      return std::none_of(each->after.begin(), each->after.end(), is_left);
    });
    if (next == left.end()) return result(cudaErrorInvalidValue);  // a circle
    sorted.push_back(std::move(*next));
    left.erase(next);
  }
  all.nodes = std::move(sorted);
  return cudaSuccess;
}

#if CUDART_VERSION >= 13000
void let_begin_early(cudaGraphNode_t to, cudaGraphNode_t from, const cudaGraphEdgeData* edge) {
  if (edge == nullptr || edge->type != cudaGraphDependencyTypeProgrammatic) return;
  node_of(to).beside.push_back(&node_of(from));
  if (edge->from_port == cudaGraphKernelNodePortLaunchCompletion) node_of(from).lets_next_begin = true;
}
void refuse_early_begin(const char* function, const cudaGraphEdgeData* edges, size_t count) {
  for (size_t index = 0; edges != nullptr && index < count; ++index)
    if (edges[index].type == cudaGraphDependencyTypeProgrammatic)
      report_unsupported(std::string(function) + " with programmatic edges", "this part of graphs");
}
#endif

cudaError_t begin_capture(cudaStream_t handle, graph& into) {
  const runtime_lock lock(runtime_mutex());
  stream& on = stream_of(handle);
  if (is_legacy(on)) return result(cudaErrorStreamCaptureUnsupported);
  if (on.captures_into != nullptr) return result(cudaErrorIllegalState);
  on.captures_into = &into;
  into.captures.push_back(&on);
  return cudaSuccess;
}
cudaError_t set_captured_tail(cudaStream_t handle, const cudaGraphNode_t* after, size_t count, bool adds) {
  stream& on = stream_of(handle);
  if (on.captures_into == nullptr) return result(cudaErrorIllegalState);
  if (!adds) on.tail.clear();
  for (size_t index = 0; index < count; ++index)
    on.tail.push_back(&node_of(after[index]));
  return cudaSuccess;
}
const cudaGraphNode_t* captured_tail(cudaStream_t handle, cudaGraph_t& into, size_t& count) {
  const stream& on = stream_of(handle);
  into = reinterpret_cast<cudaGraph_t>(on.captures_into);
  count = on.tail.size();
  return reinterpret_cast<const cudaGraphNode_t*>(on.tail.data());
}

bool graphs_were_launched() {
  return was_launched;
}

}  // namespace model

using namespace model;

extern "C" {

// --- Capture ---

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  auto into = std::make_unique<graph>();
  const cudaError_t status = begin_capture(handle, *into);
  if (status == cudaSuccess) static_cast<void>(into.release());
  return status;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* made) {
  const runtime_lock lock(runtime_mutex());
  graph* const into = stream_of(handle).captures_into;
  if (into == nullptr) return result(cudaErrorIllegalState);
  if (into->captures.front() != &stream_of(handle)) return result(cudaErrorStreamCaptureUnmatched);
  for (stream* each : into->captures) {
    each->captures_into = nullptr;
    each->tail.clear();
  }
  into->captures.clear();
  if (made != nullptr) *made = reinterpret_cast<cudaGraph_t>(into);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  *status = stream_of(handle).captures_into != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

// --- Graphs and their nodes ---

cudaError_t cudaGraphCreate(cudaGraph_t* made, unsigned) {
  *made = reinterpret_cast<cudaGraph_t>(new graph);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t which) {
  delete &graph_of(which);
  return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* made, cudaGraph_t of) {
  *made = reinterpret_cast<cudaGraph_t>(new graph(std::move(*clone(graph_of(of)))));
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* what) {
  action run;
  const cudaError_t status = action_of(*what, run);
  return status != cudaSuccess ? status : add_node(made, to, after, count, cudaGraphNodeTypeKernel, run);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* what) {
  return add_node(made, to, after, count, cudaGraphNodeTypeMemcpy, action_of(copy_of_rows::of(*what)));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                     void* target, const void* source, size_t bytes, cudaMemcpyKind) {
  return add_node(made, to, after, count, cudaGraphNodeTypeMemcpy, action_of(copy_of_rows::of(target, source, bytes)));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* what) {
  return add_node(made, to, after, count, cudaGraphNodeTypeMemset, action_of(*what));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* what) {
  return add_node(made, to, after, count, cudaGraphNodeTypeHost, action_of(*what));
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count) {
  return add_node(made, to, after, count, cudaGraphNodeTypeEmpty, [] {});
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* what) {
  const cudaError_t status = cudaMalloc(&what->dptr, what->bytesize);
  if (status != cudaSuccess) return status;
  return add_node(made, to, after, count, cudaGraphNodeTypeMemAlloc,
                  action_of_allocation(graph_of(to), what->dptr, what->bytesize));
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after, size_t count,
                                    void* pointer) {
  return add_node(made, to, after, count, cudaGraphNodeTypeMemFree, action_of_free(pointer));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* made, cudaGraph_t to, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
  const cudaError_t status = add_node(made, to, after, count, cudaGraphNodeTypeGraph, [] {});
  node_of(*made).child = clone(graph_of(child));
  return status;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t of, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<node*> all;
  for (const auto& each : graph_of(of).nodes)
    all.push_back(each.get());
  return list(all, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t of, cudaGraphNode_t* nodes, size_t* count) {
  std::vector<node*> all;
  for (const auto& each : graph_of(of).nodes)
    if (each->after.empty()) all.push_back(each.get());
  return list(all, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t which, cudaGraphNodeType* type) {
  *type = node_of(which).type;
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t which, const cudaKernelNodeParams* what) {
  action run;
  const cudaError_t status = action_of(*what, run);
  return status != cudaSuccess ? status : replace(node_of(which), run);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t which, const cudaMemcpy3DParms* what) {
  return replace(node_of(which), action_of(copy_of_rows::of(*what)));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t which, const cudaMemsetParams* what) {
  return replace(node_of(which), action_of(*what));
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t which, const cudaHostNodeParams* what) {
  return replace(node_of(which), action_of(*what));
}

// --- Memory of graphs, which is allocated once ---

cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType, void* value) {
  *static_cast<uint64_t*>(value) = 0;
  return cudaSuccess;
}

// --- Executables ---

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t of, unsigned long long) {
  executable* const all = new executable;
  all->content = clone(graph_of(of));
  for (size_t index = 0; index < graph_of(of).nodes.size(); ++index)
    all->same[graph_of(of).nodes[index].get()] = all->content->nodes[index].get();
  *made = reinterpret_cast<cudaGraphExec_t>(all);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t of, unsigned long long flags) {
  return cudaGraphInstantiate(made, of, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* made, cudaGraph_t of, cudaGraphInstantiateParams* how) {
  how->result_out = cudaGraphInstantiateSuccess;
  return cudaGraphInstantiate(made, of, how->flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t which) {
  delete &executable_of(which);
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t which, cudaStream_t handle) {
  const runtime_lock lock(runtime_mutex());
  stream& on = stream_of(handle);
  executable& all = executable_of(which);
  const std::shared_ptr<graph> content = all.content;
  if (on.captures_into != nullptr) {
    on.tail = {&on.captures_into->add(cudaGraphNodeTypeGraph, on.tail, [] {})};
    on.tail[0]->child = clone(*content);
    return cudaSuccess;
  }
  work_queue::only().choose_order();
  was_launched = true;
  std::vector<work_number> before = work_of(on);
  before.push_back(all.last);  // a graph does not run beside itself
  for (const action& each : content->at_launch)
    each();
  for (const action& each : content->first)
    before = {work_queue::only().add(before, each)};
  all.last = on.last = work_queue::only().add(add_work(*content, before, "a graph in " + name_of(on)), [] {});
  return cudaSuccess;
}
// Nodes with the same place and kind take what the new graph does.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t which, cudaGraph_t with, cudaGraphExecUpdateResultInfo* info) {
  executable& all = executable_of(which);
  const graph& made = graph_of(with);
  bool fits = all.content->nodes.size() == made.nodes.size();
  for (size_t index = 0; fits && index < made.nodes.size(); ++index)
    fits = all.content->nodes[index]->type == made.nodes[index]->type &&
           all.content->nodes[index]->after.size() == made.nodes[index]->after.size();
  *info = {};
  info->result = fits ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  if (!fits) return result(cudaErrorGraphExecUpdateFailure);
  for (size_t index = 0; index < made.nodes.size(); ++index) {
    all.content->nodes[index]->what = made.nodes[index]->what;
    all.content->nodes[index]->child = made.nodes[index]->child;
  }
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t as, const cudaKernelNodeParams* what) {
  action run;
  const cudaError_t status = action_of(*what, run);
  return status != cudaSuccess ? status : replace(in, as, run);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t as, const cudaMemcpy3DParms* what) {
  return replace(in, as, action_of(copy_of_rows::of(*what)));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t in, cudaGraphNode_t as, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind) {
  return replace(in, as, action_of(copy_of_rows::of(to, from, bytes)));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t as, const cudaMemsetParams* what) {
  return replace(in, as, action_of(*what));
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t in, cudaGraphNode_t as, const cudaHostNodeParams* what) {
  return replace(in, as, action_of(*what));
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t in, cudaGraphNode_t as, unsigned is_enabled) {
  node* const which = same_in(in, as);
  if (which == nullptr) return result(cudaErrorInvalidValue);
  which->is_enabled = is_enabled != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t in, cudaGraphNode_t as, unsigned* is_enabled) {
  const node* const which = same_in(in, as);
  if (which == nullptr) return result(cudaErrorInvalidValue);
  *is_enabled = which->is_enabled ? 1 : 0;
  return cudaSuccess;
}

}  // extern "C"
