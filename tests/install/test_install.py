"""What make install and make tarball leave on a machine: a package others can find and build
against, a program that runs from any folder, a manual and completions that name every command."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

BUILD = os.environ.get("EIGENVEIL_BUILD", "")
SOURCE = os.environ.get("EIGENVEIL_SOURCE", "")
# Everything else must travel with the tarball.
C_LIBRARY = re.compile(r"^(linux-vdso|ld-linux.*|/lib.*/ld-linux.*|libc|libm|libpthread|libdl|librt)\.so")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          timeout=600, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class NothingInstalled(unittest.TestCase):
    """A build without its packages, as `pip install .` starts it: one sentence names all of them."""

    def refusal(self, *options, **environment):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", *options],
                                  capture_output=True, text=True, check=False, timeout=600,
                                  env={**os.environ, **environment})
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("CMake Error"), 1, done.stderr)
        return " ".join(done.stderr.split())

    def test_every_missing_library_and_what_to_do(self):
        said = self.refusal("-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON",
                            "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON", "-DEIGENVEIL_TESTS=OFF",
                            PKG_CONFIG_LIBDIR="/nowhere", PKG_CONFIG_PATH="")
        self.assertIn("libeigen3-dev, libfmt-dev, libsodium-dev, libssl-dev, libsqlite3-dev, "
                      "libopenblas-pthread-dev, liblapacke-dev", said)
        self.assertIn("`make packages`", said)
        with open(os.path.join(SOURCE, "scripts", "debian-packages.txt"), encoding="utf-8") as file:
            known = file.read().split()
        with open(os.path.join(SOURCE, "cmake", "dependencies.cmake"), encoding="utf-8") as file:
            named = re.findall(r"\b(?:lib[a-z0-9-]+-dev|zlib1g-dev|nlohmann-json3-dev)\b",
                               file.read())
        self.assertEqual([name for name in named if name not in known], [])

    def test_no_compiler(self):
        said = self.refusal(CXX="/nowhere/g++")
        self.assertIn("needs a C++20 compiler", said)
        self.assertIn("`make packages`", said)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = os.path.join(os.path.dirname(BUILD), "install-test")
        shutil.rmtree(cls.prefix, ignore_errors=True)
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.program = os.path.join(cls.prefix, "bin", "eigenveil")

    def commands(self):
        """The visible commands, from the help text a user sees."""
        help_text = run(self.program, "--help")
        found = re.findall(r"^  ([a-z]+) ", help_text.split("Subcommands:")[1], re.MULTILINE)
        self.assertIn("generate", found)
        self.assertNotIn("man", found)
        self.assertNotIn("completion", found)
        return found

    def read(self, *names):
        with open(os.path.join(self.prefix, *names), encoding="utf-8") as file:
            return file.read()

    def test_no_installed_file_names_the_build_tree(self):
        for place, _, names in os.walk(os.path.join(self.prefix)):
            for name in names:
                if name.endswith((".cmake", ".1", ".bash", ".fish")) or name == "_eigenveil":
                    with open(os.path.join(place, name), encoding="utf-8") as file:
                        self.assertNotIn(SOURCE, file.read(), name)

    def test_the_manual_names_every_command_and_option(self):
        page = self.read("share", "man", "man1", "eigenveil.1").replace("\\-", "-")
        for command in self.commands():
            self.assertIn(f".SS eigenveil {command}\n", page)
            for option in re.findall(r"(--[a-z][a-z-]+)", run(self.program, command, "--help")):
                self.assertIn(option, page, f"{command} {option}")
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stderr, "")

    def complete(self, *words):
        """What bash offers for the last word."""
        script = os.path.join(self.prefix, "share", "bash-completion", "completions", "eigenveil")
        ask = (f'source "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _eigenveil; '
               'printf "%s\\n" "${COMPREPLY[@]}"')
        return run("bash", "-c", ask, "bash", "eigenveil", *words).split()

    def test_bash_completes_commands_options_and_choices(self):
        self.assertEqual(sorted(self.complete("")), sorted(self.commands()))
        self.assertEqual(self.complete("gen"), ["generate"])
        self.assertEqual(sorted(self.complete("generate", "")), ["genotypes", "survey"])
        self.assertIn("--bounds-out", self.complete("generate", "survey", "--bo"))
        self.assertEqual(self.complete("generate", "survey", "--kind", ""), ["questions", "mixed"])
        # What a word may be stands in the option specs of the methods.
        self.assertEqual(self.complete("pca", "--calibration", ""), ["tight", "published"])
        self.assertIn("wishart", self.complete("covariance", "--method", ""))
        self.assertIn("zero-row", self.complete("pca", "--neighbours", ""))
        self.assertNotIn("--kind", self.complete("generate", "genotypes", "--"))

    def test_the_other_shells_get_the_same_words(self):
        zsh = self.read("share", "zsh", "site-functions", "_eigenveil")
        fish = self.read("share", "fish", "vendor_completions.d", "eigenveil.fish")
        self.assertTrue(zsh.startswith("#compdef eigenveil\n"))
        for command in self.commands():
            self.assertIn(f"'{command}') commands=", zsh)
            self.assertIn(f" -a {command} ", fish)
        for shell, path in (("zsh", "zsh/site-functions/_eigenveil"),
                            ("fish", "fish/vendor_completions.d/eigenveil.fish")):
            if shutil.which(shell):
                run(shell, "-n", os.path.join(self.prefix, "share", path))


class LibraryAlone(unittest.TestCase):
    """The library without the program, and what others build on it: examples/."""

    @classmethod
    def setUpClass(cls):
        place = os.path.dirname(BUILD)
        cls.prefix = os.path.join(place, "library-test")
        build = os.path.join(place, "library-build")
        cls.examples = os.path.join(place, "examples-build")
        for folder in (cls.prefix, build, cls.examples):
            shutil.rmtree(folder, ignore_errors=True)
        run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DEIGENVEIL_CLI=OFF", "-DEIGENVEIL_TESTS=OFF")
        # The same sources with the same flags: compiled once.
        shutil.copy(os.path.join(BUILD, "libeigenveil.a"), build)
        run("cmake", "--install", build, "--prefix", cls.prefix)
        run("cmake", "-S", os.path.join(SOURCE, "examples"), "-B", cls.examples, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        run("cmake", "--build", cls.examples)

    def example(self, name):
        """Runs it in a folder of its own; its output, and that folder."""
        folder = tempfile.mkdtemp(prefix="eigenveil-example-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return run(os.path.join(self.examples, name), cwd=folder), folder

    def explained(self, release):
        return run(os.path.join(BUILD, "bin", "eigenveil"), "explain", release)

    def test_there_is_no_program(self):
        self.assertFalse(os.path.exists(os.path.join(self.prefix, "bin")))

    def test_the_readme_shows_the_first_example(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            shown = re.findall(r"^```cpp\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
        with open(os.path.join(SOURCE, "examples", "private_pca.cpp"), encoding="utf-8") as file:
            self.assertEqual(shown, [file.read()])

    def test_components_of_a_matrix(self):
        said, folder = self.example("private_pca")
        guarantee, *rows = said.splitlines()
        self.assertRegex(guarantee, r"adding or removing one row; holds for every data set")
        loadings = [[float(cell) for cell in row.split()] for row in rows[:8]]
        self.assertEqual([len(row) for row in loadings], [2] * 8)
        larger, smaller = map(float, rows[8:])  # the variances along them
        self.assertGreater(larger, smaller)
        for i, expected in ((0, 1.0), (1, 0.0)):  # orthonormal, to the digits printed
            product = sum(row[0] * row[i] for row in loadings)
            self.assertAlmostEqual(product, expected, places=4)
        self.assertIn("gauss", self.explained(os.path.join(folder, "out")))

    def test_shards_are_merged(self):
        said, folder = self.example("sharded_gram")
        self.assertIn("merged totals are those of one pass: yes\n", said)
        self.assertRegex(said, r"total variance [0-9.]+: .*holds for every data set")
        self.assertEqual(os.stat(os.path.join(folder, "north.gram")).st_mode & 0o077, 0)

    def test_a_mechanism_of_ones_own(self):
        said, folder = self.example("own_mechanism")
        guarantee, *squares = said.splitlines()
        self.assertIn("1-GDP", guarantee)
        self.assertEqual(len([float(square) for square in squares]), 4)
        self.assertIn("mean-square", self.explained(os.path.join(folder, "own")))
        with open(os.path.join(folder, "own", "mean_squares.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "column,mean_square\n")

    def test_every_header_alone_needs_what_the_package_finds(self):
        """All of them in one file, in both orders: whoever forgets an include comes first once."""
        headers = sorted(os.path.relpath(os.path.join(place, name), os.path.join(self.prefix, "include"))
                         for place, _, names in os.walk(os.path.join(self.prefix, "include"))
                         for name in names)
        self.assertIn("eigenveil/eigenveil.hpp", headers)
        self.assertLess(len(headers), 45)
        for order in (headers, headers[::-1]):
            text = "".join(f'#include "{name}"\n' for name in order) + "int main() {}\n"
            run("g++", "-std=c++20", "-fsyntax-only", "-x", "c++",
                "-I", os.path.join(self.prefix, "include"), "-isystem", "/usr/include/eigen3", "-",
                input=text)


class Uninstalled(unittest.TestCase):
    def test_everything_goes_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, "usr")
            other = os.path.join(prefix, "share", "man", "man1", "other.1")
            os.makedirs(os.path.dirname(other))
            with open(other, "w", encoding="utf-8") as file:
                file.write("someone else's\n")
            run("cmake", "--install", BUILD, "--prefix", prefix)
            self.assertTrue(os.path.exists(os.path.join(prefix, "bin", "eigenveil")))
            uninstall = os.path.join(SOURCE, "scripts", "uninstall")
            self.assertIn("removed", run(uninstall, prefix))
            left = [os.path.join(place, name) for place, folders, names in os.walk(prefix)
                    for name in names + [f for f in folders if not os.listdir(os.path.join(place, f))]]
            self.assertEqual(left, [other])
            again = subprocess.run([uninstall, prefix], capture_output=True, text=True, check=False)
            self.assertEqual(again.returncode, 2)
            self.assertIn("nothing of eigenveil is installed", again.stderr)


class Tarball(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="eigenveil-tarball-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        run(os.path.join(SOURCE, "scripts", "make-tarball"), BUILD, cls.folder)
        archive = [name for name in os.listdir(cls.folder) if name.endswith(".tar.gz")]
        run("tar", "-xzf", os.path.join(cls.folder, archive[0]), "-C", cls.folder)
        cls.archive = os.path.join(cls.folder, archive[0])
        cls.root = os.path.join(cls.folder, archive[0][:-len(".tar.gz")])
        # Moved, to show that it does not remember where it was unpacked.
        os.makedirs(os.path.join(cls.folder, "some where else"))
        moved = os.path.join(cls.folder, "some where else", "ev")
        os.rename(cls.root, moved)
        cls.root = moved

    def test_it_runs_from_another_folder_with_an_empty_environment(self):
        program = os.path.join(self.root, "bin", "eigenveil")
        empty = {"PATH": "", "LD_LIBRARY_PATH": ""}
        self.assertIn("eigenveil 0.2.0", run(program, "--version", env=empty, cwd="/"))
        table = os.path.join(self.folder, "survey.csv")
        run(program, "generate", "survey", "--rows", 2000, "--out", table, env=empty, cwd="/")
        out = os.path.join(self.folder, "out")
        run(program, "pca", table, "-k", 2, "--mu", 1, "--range", "0:10", "--out", out, env=empty,
            cwd="/")
        self.assertTrue(os.path.exists(os.path.join(out, "release.json")))

    def test_every_library_but_the_c_library_is_its_own(self):
        lines = run("ldd", os.path.join(self.root, "bin", "eigenveil")).splitlines()
        own = os.path.realpath(os.path.join(self.root, "lib", "eigenveil"))
        found = 0
        for line in lines:
            name = line.split()[0]
            if C_LIBRARY.match(os.path.basename(name)) or C_LIBRARY.match(name):
                continue
            place = line.split("=>")[1].rsplit("(", 1)[0].strip()
            self.assertEqual(os.path.dirname(os.path.realpath(place)), own, line)
            found += 1
        self.assertGreaterEqual(found, 5)

    def test_licences_and_documents_are_inside(self):
        self.assertTrue(os.path.exists(os.path.join(self.root, "LICENSE")))
        licences = os.listdir(os.path.join(self.root, "licences"))
        self.assertTrue(any(name.startswith("libopenblas") for name in licences), licences)
        self.assertTrue(os.path.exists(os.path.join(self.root, "share", "doc", "eigenveil", "docs",
                                                    "guide.md")))

    def test_the_same_build_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as again:
            run(os.path.join(SOURCE, "scripts", "make-tarball"), BUILD, again)
            with open(os.path.join(again, os.path.basename(self.archive)), "rb") as second, \
                    open(self.archive, "rb") as first:
                self.assertEqual(first.read(), second.read())


if __name__ == "__main__":
    unittest.main()
