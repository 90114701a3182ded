class Widetui < Formula
  desc "Full-screen terminal explorer for the logs of distributed scientific workflows"
  homepage "https://github.com/widetui/widetui"
  url "https://github.com/widetui/widetui/archive/refs/tags/v0.1.0.tar.gz"
  # Set when the release is tagged.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
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
