"""Implicit feedback, what factors fitted to it are worth, and the files that our program reads and writes."""

import gzip

LAMBDA, ALPHA = 10.0, 40.0


def drawn(users, items, count):
    """Ratings of popular items by busy users, drawn with a taste of 8 numbers each; a tenth of them to test with."""
    import numpy as np

    random = np.random.default_rng(3)
    user = np.minimum(random.pareto(1.0, 3 * count) * users / 20, users - 1).astype(int)
    item = np.minimum(random.pareto(1.0, 3 * count) * items / 20, items - 1).astype(int)
    tastes, kinds = random.normal(size=(users, 8)), random.normal(size=(items, 8))
    likes = np.einsum("rk,rk->r", tastes[user], kinds[item]) > random.normal(size=len(user))
    pairs = random.permutation(np.unique(user[likes] * items + item[likes]))[:count]
    pairs = np.stack([pairs // items, pairs % items])
    return np.split(pairs, [len(pairs[0]) * 9 // 10], axis=1)


def read_lists(path):
    import numpy as np

    lists = [list(map(int, line.split())) for line in gzip.open(path, "rt")]
    return np.array([(row[0], item) for row in lists for item in dict.fromkeys(row[1:])]).T


class Ratings:
    """The matrix of users and items to learn from, and that to test with; every rating is 1."""

    def __init__(self, train, test):
        import numpy as np
        from scipy import sparse

        size = tuple(int(max(train[side].max(), test[side].max())) + 1 for side in range(2))
        self.train, self.test = (
            sparse.csr_matrix((np.ones(len(pairs[0]), np.float32), tuple(pairs)), shape=size) for pairs in (train, test)
        )

    def write(self, path):
        pairs = self.train.tocoo()
        with open(path, "w") as file:
            file.write("user,item,rating\n")
            file.writelines(f"{user},{item},1\n" for user, item in zip(pairs.row.tolist(), pairs.col.tolist()))

    def read_factors(self, path, features):
        """The factors of users and of items that our program has written; zeros where there are no ratings."""
        import numpy as np

        factors = {"user": np.zeros((self.train.shape[0], features)), "item": np.zeros((self.train.shape[1], features))}
        for line in open(path):
            side, name, *values = line.split("\t")
            factors[side][int(name)] = [float(value) for value in values]
        return factors["user"], factors["item"]

    def objective(self, users, items):
        """The weighted squares of all errors, of pairs without a rating, too, and of the factors."""
        import numpy as np

        pairs = self.train.tocoo()
        products = np.einsum("rk,rk->r", users[pairs.row], items[pairs.col])
        rated = ((1 + ALPHA) * (1 - products) ** 2 - products**2).sum()
        return rated + ((users.T @ users) * (items.T @ items)).sum() + LAMBDA * ((users**2).sum() + (items**2).sum())

    def recall(self, users, items):
        """The part of a user's test items among the best 20 that are no training items, in the mean over users with any."""
        import numpy as np

        parts, tested = [], np.flatnonzero(np.diff(self.test.indptr))[:2000]
        for start in range(0, len(tested), 500):
            chunk = tested[start : start + 500]
            scores = users[chunk] @ items.T
            scores[self.train[chunk].nonzero()] = -np.inf
            best = np.argpartition(-scores, 20, axis=1)[:, :20]
            hits = np.asarray(self.test[np.repeat(chunk, 20), best.ravel()]).reshape(-1, 20).sum(axis=1)
            parts.append(hits / np.diff(self.test.indptr)[chunk])
        return float(np.concatenate(parts).mean())
