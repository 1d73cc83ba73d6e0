"""Golden outputs and gradients of graph neural networks, by PyTorch Geometric in 64-bit floats, and their weights as it stores them.

Command:  python tests/golden/gnn.py
Needs torch, torch_geometric and safetensors; gnn.json says which versions wrote the files.

Writes gnn.json, and gnn_gcn.safetensors, gnn_gin.safetensors, gnn_sage.safetensors, gnn_gat.safetensors, gnn_gatv2.safetensors with the weights of each
network, 32-bit floats under the names of its state_dict. All networks have two layers, 6 hidden features (2 heads of 3) and 3 classes, and nothing is dropped. The graph is directed,
has a hub, an edge that is there twice and a vertex that no edge leads to.
"""

import json
import platform
from pathlib import Path

import safetensors
import torch
import torch_geometric
from safetensors.torch import save_file
from torch.nn import Linear, Module, ReLU, Sequential
from torch.nn.functional import cross_entropy, elu, relu
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GINConv, SAGEConv

HERE = Path(__file__).parent
EDGES = [(0, 1), (1, 2), (2, 0), (3, 1), (4, 1), (5, 1), (1, 5), (5, 4), (4, 3), (4, 3), (6, 5)]
LABELS = [0, 1, 2, 1, 0, 2, 1]
TRAIN = [0, 2, 3, 5, 6]
VERTICES, FEATURES, HIDDEN, HEADS, CLASSES = 7, 5, 6, 2, 3


class Network(Module):
    def __init__(self, first, last, activation):
        super().__init__()
        self.conv1, self.conv2, self.activation = first, last, activation

    def forward(self, x, edges):
        return self.conv2(self.activation(self.conv1(x, edges)), edges)


def perceptron(inputs, outputs):
    return Sequential(Linear(inputs, HIDDEN), ReLU(), Linear(HIDDEN, outputs))


def networks():
    return {
        "gcn": Network(GCNConv(FEATURES, HIDDEN), GCNConv(HIDDEN, CLASSES), relu),
        "gin": Network(
            GINConv(perceptron(FEATURES, HIDDEN), train_eps=True), GINConv(perceptron(HIDDEN, CLASSES), train_eps=True), relu
        ),
        "sage": Network(SAGEConv(FEATURES, HIDDEN), SAGEConv(HIDDEN, CLASSES), relu),
        "gat": Network(GATConv(FEATURES, HIDDEN // HEADS, HEADS), GATConv(HIDDEN, CLASSES, 1), elu),
    }


def dynamic():
    return Network(GATv2Conv(FEATURES, HIDDEN // HEADS, HEADS), GATv2Conv(HIDDEN, CLASSES, 1), elu)


def measured(name, network, x, edges):
    # Drawn in 32 bits, which the file holds exactly, biases as well; computed with in 64.
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.empty_like(parameter).uniform_(-0.7, 0.7))
    weights = {key: value.contiguous() for key, value in network.state_dict().items()}
    save_file(weights, HERE / f"gnn_{name}.safetensors")
    network = network.double()
    logits = network(x, edges)
    loss = cross_entropy(logits[TRAIN], torch.tensor(LABELS)[TRAIN])
    loss.backward()
    gradients = {key: parameter.grad.tolist() for key, parameter in network.named_parameters()}
    return {"logits": logits.tolist(), "loss": loss.item(), "gradients": gradients}


def main():
    torch.manual_seed(0)
    x = torch.empty(VERTICES, FEATURES).uniform_(-1, 1).double()
    edges = torch.tensor(EDGES).T
    golden = {
        "command": "python tests/golden/gnn.py",
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "torch_geometric": torch_geometric.__version__,
            "safetensors": safetensors.__version__,
        },
        "edges": EDGES,
        "features": x.tolist(),
        "labels": LABELS,
        "train": TRAIN,
        "hidden": HIDDEN,
        "heads": HEADS,
        "classes": CLASSES,
        "networks": {name: measured(name, network, x, edges) for name, network in networks().items()},
    }
    # After the others, whose numbers stay what they were before it was added.
    golden["networks"]["gatv2"] = measured("gatv2", dynamic(), x, edges)
    (HERE / "gnn.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
