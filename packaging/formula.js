/**
 * Prints the Homebrew formula of a published release, for a tap:
 *
 *   node packaging/formula.js https://registry.npmjs.org/svc-cli/-/svc-cli-0.2.0.tgz TARBALL > Formula/svc-cli.rb
 *
 * Without a tarball, the one that npm would publish from this folder is measured.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MANIFEST, newFolder, packInto } from './parts.js';

const [url, tarball] = process.argv.slice(2);
if (url === undefined || !/^https:\/\/[\w./-]+\.tgz$/u.test(url)) {
  console.error('error: pass the URL of the published tarball (https://….tgz)');
  process.exit(2);
}
const sha256 = createHash('sha256')
  .update(readFileSync(tarball ?? packInto(newFolder())))
  .digest('hex');
const className = (name) => name.replaceAll(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());

process.stdout.write(`class ${className(MANIFEST.name)} < Formula
  desc "${MANIFEST.description.replace(/\.$/u, '')}"
  homepage "https://www.npmjs.com/package/${MANIFEST.name}"
  url "${url}"
  sha256 "${sha256}"
  license "${MANIFEST.license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec/"lib/node_modules/${MANIFEST.name}/man/svc.1"
    generate_completions_from_executable(bin/"svc", "completion", "script", shells: [:bash, :zsh, :fish])
  end

  test do
    (testpath/"notes/a.md").write "# Alpha\\n\\nthe needle\\n"
    assert_match "a.md", shell_output("#{bin}/svc memory search needle -w notes")
  end
end
`);
