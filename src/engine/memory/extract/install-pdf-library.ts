import {
  type Installation,
  type InstallOptions,
  type InstallResult,
  installPackages,
  removePackages,
} from '../../install/install-packages.js';
import type { InstalledPackages } from '../../install/installed-packages.js';
import { installedPdfLibrary, PDF_NAME, PDF_PACKAGE, PDF_VERSION } from './pdf-library.js';

/** Of its archive in the npm registry. */
const INTEGRITY =
  'sha512-MiDhbougTETOvbw/x3hnNr18jzFFrlSitevfO/BHInvtUx68R3Fke9A36GLQfN1LpG1NiJZaV4oPvjioPk9vKQ==';

const SUBJECT: Installation<InstalledPackages>['subject'] = {
  name: PDF_NAME,
  package: PDF_PACKAGE,
  version: PDF_VERSION,
  code: 'LIBRARY_INSTALL_FAILED',
  space: '10 MB',
  elsewhere: 'update Node.js, then try again',
};

const CHECK = `
const { getDocumentProxy } = await import('${PDF_PACKAGE}');
process.stdout.write(typeof getDocumentProxy, () => process.exit(0));
`;

/**
 * Installs the library for PDF files with npm.
 *
 * @throws SvcError LIBRARY_INSTALL_FAILED; the signal's reason. What is installed is unaffected
 */
export function installPdfLibrary(
  options: InstallOptions,
): Promise<InstallResult<InstalledPackages>> {
  return installPackages(
    {
      subject: SUBJECT,
      dependencies: () => ({ [PDF_PACKAGE]: PDF_VERSION }),
      integrity: { [PDF_PACKAGE]: INTEGRITY },
      facts: {},
      findInstalled: () => installedPdfLibrary(options.dir),
      check: { module: CHECK },
      isExpected: (stdout) => stdout === 'function',
      brokenHint: 'update Node.js, then try again',
    },
    options,
  );
}

/** @returns what was removed. @throws SvcError LIBRARY_INSTALL_FAILED; the signal's reason */
export function removePdfLibrary(
  options: Pick<InstallOptions, 'dir' | 'signal'>,
): Promise<InstalledPackages | undefined> {
  const findInstalled = (): InstalledPackages | undefined => installedPdfLibrary(options.dir);
  return removePackages({ subject: SUBJECT, findInstalled }, options);
}
