# Copyright the widetui developers
#
# SPDX-License-Identifier: (MIT OR Apache-2.0)

# packaging/release.sh fills in the version and the checksum.
from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Widetui(CargoPackage):
    """A full-screen terminal explorer for the logs of distributed scientific workflows."""

    homepage = "https://github.com/widetui/widetui"
    url = "https://github.com/widetui/widetui/releases/download/v@VERSION@/widetui-@VERSION@.tar.gz"
    git = "https://github.com/widetui/widetui.git"

    license("MIT OR Apache-2.0")

    version("main", branch="main")
    version("@VERSION@", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("rust@1.89:", type="build")

    @property
    def build_args(self):
        return ["--locked", "--profile", "dist", "--features", "parquet"]

    @run_after("install")
    def install_documentation(self):
        widetui = Executable(self.prefix.bin.widetui)
        completions = {
            "bash": bash_completion_path(self.prefix) / "widetui",
            "zsh": zsh_completion_path(self.prefix) / "_widetui",
            "fish": fish_completion_path(self.prefix) / "widetui.fish",
        }
        for shell, path in completions.items():
            mkdirp(path.parent)
            with open(path, "w") as file:
                widetui("completions", shell, output=file)
        mkdirp(self.prefix.share.man.man1)
        with open(self.prefix.share.man.man1.join("widetui.1"), "w") as page:
            widetui("man", output=page)
