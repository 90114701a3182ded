# packaging/release.sh fills in the version and the checksum.
class Widetui < Formula
  desc "Full-screen terminal explorer for the logs of distributed scientific workflows"
  homepage "https://github.com/widetui/widetui"
  url "https://github.com/widetui/widetui/releases/download/v@VERSION@/widetui-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/widetui/widetui.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--profile", "dist", "--features", "parquet", *std_cargo_args
    generate_completions_from_executable(bin/"widetui", "completions")
    (man1/"widetui.1").write Utils.safe_popen_read(bin/"widetui", "man")
    pkgshare.install "demo/hung.tar.gz"
  end

  test do
    assert_match "task 24", shell_output("#{bin}/widetui hung #{pkgshare}/hung.tar.gz")
  end
end
