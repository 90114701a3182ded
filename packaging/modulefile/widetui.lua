-- Module of Lmod for an archive that was unpacked into `root`.
help([[A full-screen terminal explorer for the logs of distributed scientific workflows: widetui RUN]])
whatis("Name: widetui")
whatis("Version: @VERSION@")
whatis("URL: https://github.com/widetui/widetui")

local root = "/opt/widetui/@VERSION@"
prepend_path("PATH", root)
prepend_path("MANPATH", pathJoin(root, "man"))
