# Copyright the widetui developers
#
# SPDX-License-Identifier: (MIT OR Apache-2.0)

# packaging/release.sh fills in the version and the checksum.
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
        return ["--features", "parquet"]

    @run_after("install")
    def install_documentation(self):
        widetui = Executable(join_path(self.prefix.bin, "widetui"))
        mkdirp(self.prefix.share.man.man1)
        with open(join_path(self.prefix.share.man.man1, "widetui.1"), "w") as page:
            widetui("man", output=page)
        completions = {
            "bash": join_path(self.prefix.share, "bash-completion", "completions", "widetui"),
            "zsh": join_path(self.prefix.share, "zsh", "site-functions", "_widetui"),
            "fish": join_path(self.prefix.share, "fish", "vendor_completions.d", "widetui.fish"),
        }
        for shell, path in completions.items():
            mkdirp(ancestor(path))
            with open(path, "w") as file:
                widetui("completions", shell, output=file)
