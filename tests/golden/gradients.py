"""Golden gradients of layers, by PyTorch's autograd in 64-bit floats.

Command:  python tests/golden/gradients.py
The file says which versions wrote it.

gradients.json has a graph of 15 vertices with loops, duplicate edges, a hub and a vertex that no edge leads to, and one of edges in both directions, and for each
layer its inputs, what the loss weighs its outputs by, and the gradients of the loss. All inputs are 32-bit floats. Rows are lists of their features.
"""

import json
import platform
from pathlib import Path

import torch

HERE = Path(__file__).parent
VERTICES, FEATURES = 15, 3
ALPHA, EPSILON = 0.75, 0.25


def edges(random):
    """Drawn edges, a hub, duplicates and loops; none into vertex 7. Sorted by their end, as the library numbers them."""
    drawn = torch.randint(0, VERTICES, (45, 2), generator=random).tolist()
    hub = [[source, 3] for source in range(VERTICES)]
    every = drawn + hub + drawn[:4] + [[5, 5], [6, 6]]
    return sorted((edge for edge in every if edge[1] != 7), key=lambda edge: (edge[1], edge[0]))


def pairs(random):
    """Edges in both directions, each once, and loops; sorted as the others."""
    drawn = torch.randint(0, VERTICES - 1, (20, 2), generator=random).tolist()
    every = {(u, v) for pair in drawn for u, v in [pair, pair[::-1]]} | {(2, 2)}
    return sorted(map(list, every), key=lambda edge: (edge[1], edge[0]))


class Case:
    """The inputs of a layer, of which some have gradients."""

    def __init__(self, random):
        self.random, self.inputs, self.asked = random, {}, []

    def draw(self, name, shape, low=-1.0, high=1.0, asked=False):
        values = low + (high - low) * torch.rand(shape, generator=self.random)
        values = values.float().double().requires_grad_(asked)
        self.inputs[name] = values
        if asked:
            self.asked.append(name)
        return values

    def done(self, output):
        """The loss is the output weighed by drawn numbers."""
        wanted = self.draw("wanted", output.shape)
        gradients = torch.autograd.grad((output * wanted).sum(), [self.inputs[name] for name in self.asked])
        return {
            "inputs": {name: values.tolist() for name, values in self.inputs.items()},
            "output": output.tolist(),
            "gradients": {name: gradient.tolist() for name, gradient in zip(self.asked, gradients)},
        }


def gather(values, destination):
    """The sum of the rows of edges at their destinations."""
    return torch.zeros((VERTICES, *values.shape[1:]), dtype=values.dtype).index_add(0, destination, values)


def attend(score, values, destination):
    """The softmax-weighted sum at the destinations."""
    greatest = torch.full((VERTICES,), -torch.inf, dtype=score.dtype)
    greatest = greatest.scatter_reduce(0, destination, score.detach(), "amax")
    weight = (score - greatest[destination]).exp()
    share = weight / gather(weight, destination)[destination]
    return gather(share[:, None] * values, destination)


def leaky(values):
    return torch.nn.functional.leaky_relu(values, 0.2)


def normalize(rows):
    total = rows.sum(1, keepdim=True)
    return torch.where(total == 0, rows, rows / torch.where(total == 0, torch.ones_like(total), total))


def at_vertices(values, destination, how, initial):
    """The least, the greatest or the product of the rows of edges at their destinations."""
    totals = torch.full((VERTICES, *values.shape[1:]), initial, dtype=values.dtype)
    places = destination.reshape(-1, *[1] * (values.dim() - 1)).expand_as(values)
    return totals.scatter_reduce(0, places, values, how)


def gcn(case, source, destination):
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    weight = case.draw("weight", (len(source),), 0.5, 1.5, asked=True)
    return gather(weight[:, None] * x[source], destination).relu()


def gin(case, source, destination):
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    slope = case.draw("slope", (VERTICES,), 0.1, 0.5, asked=True)
    mixed = (1 + EPSILON) * x + gather(x[source], destination)
    mixed = torch.where(mixed < 0, mixed * slope[:, None], mixed)
    return mixed / (1 + mixed.norm(dim=1, keepdim=True))


def gat(case, source, destination):
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    query, key = (case.draw(name, (FEATURES,), asked=True) for name in ["query", "key"])
    score = leaky((x @ query)[source] + (x @ key)[destination])
    return attend(score, x[source], destination).tanh()


def gatv2(case, source, destination):
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    left, right, attention = (case.draw(name, (FEATURES,), asked=True) for name in ["left", "right", "attention"])
    score = leaky(left * x[source] + right * x[destination]) @ attention
    return attend(score, x[source], destination)


def distmult(case, source, destination):
    entity = case.draw("entity", (VERTICES, FEATURES), asked=True)
    relation = case.draw("relation", (len(source), FEATURES), asked=True)
    return (entity[source] * relation * entity[destination]).sum(1)


def label_propagation(case, source, destination):
    seed = case.draw("seed", (VERTICES, FEATURES), 0.2, 1.0, asked=True)
    weight = case.draw("weight", (len(source),), 0.5, 1.5, asked=True)
    label = seed
    for _ in range(3):
        heard = normalize(gather(weight[:, None] * label[source], destination))
        label = normalize(ALPHA * heard + (1 - ALPHA) * seed)
    return label


def belief_propagation(case, source, destination):
    """A sweep: messages through a Potts potential, added as logarithms, and the new beliefs."""
    prior = case.draw("prior", (VERTICES, FEATURES), asked=True)
    belief = case.draw("belief", (VERTICES, FEATURES), asked=True)
    strength = case.draw("strength", (len(source),), 0.1, 0.9, asked=True)[:, None]
    sent = belief.softmax(1)[source]
    message = (strength * sent + (1 - strength) / FEATURES).log()
    return (prior + gather(message, destination)).softmax(1)


def pools(case, source, destination):
    """A mean, the greatest of the edges with a weight, and the least product of rows; 0 where there are none."""
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    weight = case.draw("weight", (len(source),), 0.5, 1.5, asked=True)
    count = torch.bincount(destination, minlength=VERTICES).clamp(min=1)[:, None]
    mean = gather(weight[:, None] * x[source], destination) / count
    heavy = weight > 0.75
    most = (x[source] - 0.5 * x[destination])[heavy]
    most = at_vertices(most, destination[heavy], "amax", -torch.inf)
    most = torch.where(most > -torch.inf, most, 0)
    least = at_vertices((x[source] * x[destination]).sum(1), destination, "amin", torch.inf)[:, None]
    least = torch.where(least < torch.inf, least, 0)
    return mean * most + 0.5 * most + 0.25 * least


def products(case, source, destination):
    """The product of all weighed rows, some of which have zeros, and of the weights above 0.75."""
    x = case.draw("x", (VERTICES, FEATURES), 0.5, 1.5)
    x[1, 0] = x[4, 0] = x[4, 1] = x[9, 2] = x[10, 2] = 0
    x.requires_grad_()
    case.asked.append("x")
    weight = case.draw("weight", (len(source),), 0.6, 1.1, asked=True)
    product = at_vertices(weight[:, None] * x[source], destination, "prod", 1.0)
    heavy = weight > 0.75
    size = at_vertices(1.2 * weight[heavy], destination[heavy], "prod", 1.0)
    return product + 0.25 * size[:, None] * x


def dense(case, source, destination):
    """A sum over edges, a matrix and a bias for all vertices."""
    x = case.draw("x", (VERTICES, FEATURES), asked=True)
    size = case.draw("size", (len(source),), 0.5, 1.5, asked=True)
    mix, bias = case.draw("mix", (FEATURES, FEATURES), asked=True), case.draw("bias", (FEATURES,), asked=True)
    return (gather(size[:, None] * x[source], destination) @ mix.T + bias).tanh()


def rectangular(case, source, destination):
    """Rows of five numbers, of which a matrix makes features that edges bring."""
    x = case.draw("input", (VERTICES, 5), asked=True)
    weight, bias = case.draw("weight", (FEATURES, 5), asked=True), case.draw("bias", (FEATURES,), asked=True)
    share = case.draw("share", (len(source),), asked=True)
    return gather(share[:, None] * (x @ weight.T + bias).tanh()[source], destination)


def messages(case, source, destination):
    """A sweep with a message for each direction: what the source believes without what has come from there, through one potential."""
    prior, belief = (case.draw(name, (VERTICES, FEATURES), 0.5, 1.5, asked=True) for name in ["prior", "belief"])
    message = case.draw("message", (len(source), FEATURES), 0.5, 1.5, asked=True)
    coupling = case.draw("coupling", (FEATURES, FEATURES), 0.5, 1.5, asked=True)
    ends = list(zip(source.tolist(), destination.tolist()))
    back = torch.tensor([ends.index((v, u)) for u, v in ends])
    sent = normalize((belief[source] / message[back]) @ coupling.T)
    return normalize(prior * at_vertices(sent, destination, "prod", 1.0))


def main():
    random = torch.Generator().manual_seed(20261122)
    graph = edges(random)
    layers = [gcn, gin, gat, gatv2, distmult, label_propagation, belief_propagation]
    golden = {"made_by": f"PyTorch {torch.__version__}, Python {platform.python_version()}", "vertices": VERTICES, "edges": graph}
    for layer in layers + [pools, products, dense]:
        case = Case(random)
        golden[layer.__name__] = case.done(layer(case, *torch.tensor(graph).T))
    case, both = Case(random), pairs(random)
    golden["messages"] = {"edges": both, **case.done(messages(case, *torch.tensor(both).T))}
    case = Case(random)
    golden["rectangular"] = case.done(rectangular(case, *torch.tensor(graph).T))
    (HERE / "gradients.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()
