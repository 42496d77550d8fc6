"""One pass equals merged shards, to the last byte of the release."""

import itertools
import json
import os
import random
import shutil
import stat
import unittest

from support import CliTest, csv_text, files_of

NAMES = ["a", "b", "c", "d"]
RANGE = ("--range", "-5:5")


class Grams(CliTest):

    def setUp(self):
        super().setUp()
        draw = random.Random(21)
        self.rows = [[draw.gauss(0.0, 2.0) for _ in NAMES] for _ in range(3000)]
        self.whole = self.write("whole.csv", csv_text(NAMES, self.rows))
        self.parts = []
        for i, (start, end) in enumerate(((0, 700), (700, 701), (701, 3000))):
            source = self.write(f"{i}.csv", csv_text(NAMES, self.rows[start:end]))
            self.parts.append(self.partial(source, f"{i}.gram"))

    def partial(self, source, name, *more):
        self.succeed("gram", "partial", source, *RANGE, *more, "--out", self.path(name))
        return self.path(name)

    def release(self, source, name, *more):
        self.succeed("covariance", source, "--mu", 1, "--seed", 5, "--center", "private", *more,
                     "--out", self.path(name))
        return files_of(self.path(name))

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_any_order_shard_and_thread_count_gives_the_same_release(self):
        one_pass = self.release(self.whole, "one", *RANGE, "--threads", 1)
        self.assertEqual(len(one_pass), 4)
        for threads in (2, 3):
            self.assert_same_release(
                self.release(self.whole, f"t{threads}", *RANGE, "--threads", threads), one_pass)
        self.assert_same_release(self.release(self.partial(self.whole, "whole.gram"), "g"), one_pass)
        for i, order in enumerate(itertools.permutations(self.parts)):
            merged = self.path(f"m{i}.gram")
            self.succeed("gram", "merge", *order, "--out", merged)
            self.assert_same_release(self.release(merged, f"r{i}"), one_pass)
        # A different row must show: the comparison is not blind.
        self.rows[1500][2] += 0.01
        other = self.write("other.csv", csv_text(NAMES, self.rows))
        with self.assertRaises(AssertionError):
            self.assert_same_release(self.release(other, "other", *RANGE), one_pass)

    def test_merge_commutes_and_associates_bytewise(self):
        a, b, c = self.parts
        self.succeed("gram", "merge", a, b, "--out", self.path("ab.gram"))
        self.succeed("gram", "merge", b, a, "--out", self.path("ba.gram"))
        self.assertEqual(self.content("ab.gram"), self.content("ba.gram"))
        self.succeed("gram", "merge", b, c, "--out", self.path("bc.gram"))
        self.succeed("gram", "merge", self.path("ab.gram"), c, "--out", self.path("ab_c.gram"))
        self.succeed("gram", "merge", a, self.path("bc.gram"), "--out", self.path("a_bc.gram"))
        self.assertEqual(self.content("ab_c.gram"), self.content("a_bc.gram"))

    def test_a_shard_counts_once(self):
        a, b, c = self.parts
        self.assertIn("same file", self.refuse("gram", "merge", a, a, "--out", self.path("x.gram")))
        self.succeed("gram", "merge", a, b, "--out", self.path("ab.gram"))
        self.refuse("gram", "merge", self.path("ab.gram"), c, a, "--out", self.path("x.gram"))
        self.assertEqual(self.refuse("gram", "merge", a, self.path("nope.gram"), "--out", self.path("x.gram"), code=1).count("nope.gram"), 1)
        self.assertFalse(os.path.exists(self.path("x.gram")))

    def test_shards_carry_their_names(self):
        constant = self.write("c.csv", csv_text(NAMES, [[1.0] * len(NAMES)] * 3))
        parts = []
        for index in range(3):  # equal totals: only the names tell them apart
            parts.append(self.partial(constant, f"c{index}.gram", "--shard", f"run-1,{index},3"))
        out = self.path("m.gram")
        self.assertIn("shard 1 of 3", self.refuse("gram", "merge", parts[0], parts[2], "--out", out))
        self.assertIn("shard 0 of 3", self.refuse("gram", "merge", parts[0], parts[2], self.copy(parts[0]), "--out", out))
        foreign = self.partial(constant, "f.gram", "--shard", "run-2,1,3")
        self.assertIn("run-2", self.refuse("gram", "merge", parts[0], foreign, parts[2], "--out", out))
        self.assertFalse(os.path.exists(out))
        self.succeed("gram", "merge", parts[0], parts[2], "--incomplete", "--out", self.path("half.gram"))
        self.succeed("gram", "merge", self.path("half.gram"), parts[1], "--out", out)
        nine = self.partial(self.write("n.csv", csv_text(NAMES, [[1.0] * len(NAMES)] * 9)), "n.gram")
        self.assert_same_release(self.release(out, "merged"), self.release(nine, "one"))
        for part in (parts[0], self.path("half.gram")):
            self.assertIn("not complete", self.refuse("covariance", part, "--mu", 1, "--out", self.path("y")))
        for wrong in ("a", "a,3,3", "a,1", ",0,1", "a,-1,3", "a,0,99999999999999", "a\n,0,1", "a\t,0,1", "a" * 1001 + ",0,1"):
            self.refuse("gram", "partial", constant, *RANGE, "--shard", wrong, "--out", self.path("w.gram"))

    def test_equal_totals_are_a_question(self):
        a, same = self.parts[0], self.copy(self.parts[0])
        self.assertIn("--equal-totals", self.refuse("gram", "merge", a, same, "--out", self.path("x.gram")))
        self.assertIn("same file", self.refuse("gram", "merge", a, a, "--equal-totals", "--out", self.path("x.gram")))
        self.succeed("gram", "merge", a, same, "--equal-totals", "--out", self.path("x.gram"))
        self.assertIn("d.gram", self.refuse("gram", "merge", a, self.write("d.gram", b"damaged"), "--out", self.path("z.gram")))

    def people(self):
        """Two files of one table: visits of 30 people, in an order that mixes them."""
        draw = random.Random(8)
        visits = [(f"p{draw.randrange(30)}", draw.uniform(-5, 5), draw.uniform(-5, 5)) for _ in range(400)]
        files = [self.write(f"v{i}.csv", csv_text(["who", "a", "b"], visits[i::2])) for i in range(2)]
        whole = self.write("visits.csv", csv_text(["who", "a", "b"], visits[0::2] + visits[1::2]))
        return files, whole

    def people_part(self, files, name, index, key, *more):
        self.succeed("gram", "partial", files[0], "--more", *files[1:], *RANGE, "--person", "who", "--rows-per-person", 3,
                     "--shard", f"r,{index},2", "--person-key", key, *more, "--out", self.path(name))
        return self.path(name)

    def test_people_are_in_one_shard_and_the_release_is_about_them(self):
        files, whole = self.people()
        key = self.path("people.key")
        self.assertIn("secret", self.succeed("gram", "key", "--out", key))
        self.assertEqual(stat.S_IMODE(os.stat(key).st_mode), 0o600)
        self.assertIn("exists", self.refuse("gram", "key", "--out", key))
        parts = [self.people_part(files, f"p{index}.gram", index, key) for index in range(2)]
        merged = self.path("people.gram")
        self.succeed("gram", "merge", *reversed(parts), "--out", merged)
        one_pass = self.release(whole, "one", *RANGE, "--person", "who", "--rows-per-person", 3)
        shards = self.release(merged, "shards")
        for name in one_pass:
            if name.endswith(".csv"):
                self.assertEqual(shards[name], one_pass[name], name)
        said = [json.loads(files[next(name for name in files if name.startswith("release."))]) for files in (one_pass, shards)]
        self.assertEqual(said[0]["guarantee"]["would_be"]["person"], "who")
        self.assertEqual(said[0]["guarantee"], said[1]["guarantee"])
        self.assertEqual(said[1]["parameters"]["rows_per_person"], 3)
        # A person may be in both: whatever is no shard of one run and one key.
        self.succeed("gram", "key", "--out", self.path("other.key"))
        foreign = self.people_part(files, "f.gram", 1, self.path("other.key"))
        out = self.path("x.gram")
        self.assertIn("--person-key", self.refuse("gram", "merge", parts[0], foreign, "--out", out))
        self.assertIn("not complete", self.refuse("covariance", parts[0], "--mu", 1, "--out", self.path("y")))
        self.succeed("gram", "partial", whole, *RANGE, "--person", "who", "--rows-per-person", 3, "--out", self.path("alone.gram"))
        self.assertIn("in both", self.refuse("gram", "merge", merged, self.path("alone.gram"), "--out", out))
        self.assertFalse(os.path.exists(out))
        for wrong, said in ((("--neighbours", "replace-one"), "place for"), (("--group-size", 2), "--group-size"), (("--person", "who", "--rows-per-person", 3), ".gram"),
                            (("--neighbours", "zero-row"), "number of rows is protected")):
            self.assertIn(said, self.refuse("covariance", merged, "--mu", 1, *wrong, "--out", self.path("y")))

    def test_a_key_and_shards_of_people_go_together(self):
        files, whole = self.people()
        people = ("--person", "who", "--rows-per-person", 3)
        for arguments, said in (
            ((whole, *people, "--shard", "r,0,2"), "share a key"),
            ((whole, *people, "--person-key", self.write("k", "x")), "goes with"),
            ((whole, "--shard", "r,0,2", "--person-key", self.write("k", "x"), "--exclude", "who"), "goes with"),
            ((whole, *people, "--shard", "r,0,2", "--person-key", self.write("k", "guess me")), "no key of people"),
            ((files[0], "--more", files[0], "--exclude", "who"), "same file"),
            ((files[0], "--more", self.write("n.csv", "a,b\n1,2\n"), "--exclude", "who"), "who"),
        ):
            self.assertIn(said, self.refuse("gram", "partial", *arguments, *RANGE, "--out", self.path("x.gram")))
        self.assertFalse(os.path.exists(self.path("x.gram")))

    def copy(self, part):
        return shutil.copy(part, self.path("copy.gram"))

    def test_different_columns_or_bounds_do_not_merge(self):
        a = self.parts[0]
        source = self.write("n.csv", csv_text(["a", "b", "c", "x"], self.rows[:5]))
        self.refuse("gram", "merge", a, self.partial(source, "n.gram"), "--out", self.path("x.gram"))
        source = self.write("w.csv", csv_text(NAMES, self.rows[:5]))
        self.succeed("gram", "partial", source, "--range", "-5:6", "--out", self.path("w.gram"))
        self.refuse("gram", "merge", a, self.path("w.gram"), "--out", self.path("x.gram"))
        self.refuse("gram", "merge", a, self.partial(source, "g.gram", "--grid", 1024), "--out",
                    self.path("x.gram"))
        self.assertFalse(os.path.exists(self.path("x.gram")))

    def test_the_file_is_marked_and_kept_from_others(self):
        merged = self.path("m.gram")
        out = self.succeed("gram", "merge", *self.parts, "--out", merged)
        self.assertIn("private data", out)
        for path in [*self.parts, merged]:
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            with open(path, "rb") as file:
                self.assertRegex(file.readline().lower(), rb"private")

    def test_flags_the_file_already_fixes_are_refused(self):
        center = self.write("c.csv", "column,value\na,0\nb,0\nc,0\nd,0\n")
        for flags in (("--range", "0:1"), ("--row-norm", "1"), ("--bounds", "x.csv"),
                      ("--columns", "a"), ("--grid", "7"), ("--center", "public", center)):
            with self.subTest(flags):
                text = self.refuse("covariance", self.parts[0], "--mu", 1, *flags)
                self.assertIn("carries its columns and bound", text)
        self.assertIn("must be none", self.refuse("covariance", self.parts[0], "--mu", 1,
                                                  "--center", "wrong"))
        self.assertIn("merge", self.refuse("gram", "partial", self.parts[0], *RANGE, "--out", "x"))

    def test_every_damaged_byte_is_noticed(self):
        content = self.content("0.gram")
        draw = random.Random(22)
        damaged = [content[:cut] for cut in (0, 1, 10, len(content) // 2, len(content) - 1)]
        damaged += [content + b"\0", b"\0" * len(content)]
        for place in draw.sample(range(len(content)), 60):
            changed = bytearray(content)
            changed[place] ^= 1 << draw.randrange(8)
            damaged.append(bytes(changed))
        for i, wrong in enumerate(damaged):
            with self.subTest(i):
                self.refuse("covariance", self.write("d.gram", wrong), "--mu", 1, "--out",
                            self.path("out"))
                self.refuse("gram", "merge", self.path("d.gram"), self.parts[1], "--out",
                            self.path("x.gram"))
        self.assertFalse(os.path.exists(self.path("out")))
        self.assertFalse(os.path.exists(self.path("x.gram")))

    def test_output_never_replaces_a_device_or_directory(self):
        os.mkdir(self.path("folder"))
        os.symlink("/dev/null", self.path("null"))
        for name in ("folder", "null"):
            self.refuse("gram", "merge", *self.parts, "--out", self.path(name))
        self.assertTrue(os.path.islink(self.path("null")))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.symlink("real.gram", self.path("link.gram"))
        self.write("real.gram", b"old")
        self.assertIn("--replace", self.refuse("gram", "merge", *self.parts, "--out", self.path("link.gram")))
        self.assertEqual(self.content("real.gram"), b"old")
        self.succeed("gram", "merge", *self.parts, "--out", self.path("link.gram"), "--replace")
        self.assertTrue(os.path.islink(self.path("link.gram")))
        self.assertNotEqual(self.content("real.gram"), b"old")


if __name__ == "__main__":
    unittest.main()
