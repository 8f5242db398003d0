# Formula for Homebrew on Linux, without CUDA. For a release, replace the url by that of the release's archive, and add
# the sha256 of this archive.
# To test it: git archive --prefix=pliant-0.4.0/ -o packaging/homebrew/pliant-0.4.0.tar.gz HEAD
#            brew install --build-from-source packaging/homebrew/pliant.rb
class Pliant < Formula
  include Language::Python::Virtualenv

  desc "Simulator of soft, elastic solids with converged implicit steps"
  homepage "file://#{__dir__}/../../README.md"
  url "file://#{__dir__}/pliant-0.4.0.tar.gz"
  version "0.4.0"
  license "MIT"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "python@3.13" => [:build, :test]

  depends_on "cglm"
  depends_on "cjson"
  depends_on "expat"
  depends_on "glfw"
  depends_on "jpeg-turbo"
  depends_on "libpng"
  depends_on "libwebsockets"
  depends_on :linux
  depends_on "mesa"
  depends_on "metis"
  depends_on "muparser"
  depends_on "suite-sparse"
  depends_on "zlib"

  resource "imgui" do
    url "https://github.com/ocornut/imgui/archive/refs/tags/v1.91.5.tar.gz"
    sha256 "2aa2d169c569368439e5d5667e0796d09ca5cc6432965ce082e516937d7db254"
  end

  resource "dejavu" do
    url "https://github.com/dejavu-fonts/dejavu-fonts/releases/download/version_2_37/dejavu-fonts-ttf-2.37.tar.bz2"
    sha256 "fa9ca4d13871dd122f61258a80d01751d603b4d3ee14095d65453b4e846e17d7"
  end

  # The generator glad writes the header of OpenGL functions during the build. jinja2 and markupsafe are packages that
  # glad needs.
  resource "glad2" do
    url "https://files.pythonhosted.org/packages/source/g/glad2/glad2-2.0.8.tar.gz"
    sha256 "b84079b9fa404f37171b961bdd1d8da21370e6c818defb8481c5b3fe3d6436da"
  end

  resource "jinja2" do
    url "https://files.pythonhosted.org/packages/source/j/jinja2/jinja2-3.1.6.tar.gz"
    sha256 "0137fb05990d35f1275a587e9aee6d56da821fc83491a0fb838183be43f66d6d"
  end

  resource "markupsafe" do
    url "https://files.pythonhosted.org/packages/source/m/markupsafe/markupsafe-3.0.4.tar.gz"
    sha256 "2e9ad7dd851bf45fab9f75cbff4cb493fee9979e8d8c7c9c3ee119022518edd6"
  end

  def install
    tools = virtualenv_create(buildpath/"tools", "python3.13")
    tools.pip_install [resource("markupsafe"), resource("jinja2"), resource("glad2")]
    ENV.prepend_path "PATH", buildpath/"tools/bin"

    imgui = buildpath/"imgui-installed"
    resource("imgui").stage { system buildpath/"packaging/build-imgui", Pathname.pwd, imgui }
    ENV.prepend_path "PKG_CONFIG_PATH", imgui/"lib/pkgconfig"
    resource("dejavu").stage { buildpath.install "ttf/DejaVuSans.ttf" }

    system "meson", "setup", "build", "-Dgpu=disabled", "-Dtests=false", "-Dfont=#{buildpath}/DejaVuSans.ttf",
           *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
    pkgshare.install "examples"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pliant --version")
    system bin/"pliant", "bench", "--device", "cpu", "--steps", "2", pkgshare/"scenes/drop_coarse.json"
    system ENV.cc, pkgshare/"examples/c/hello.c", "-o", "hello", "-I#{include}", "-L#{lib}", "-lpliant"
    assert_match "lowest point at -0.", shell_output("./hello")
  end
end
