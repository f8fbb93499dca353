import { type InstalledPackages, readInstalled } from '../../install/installed-packages.js';

export const PDF_PACKAGE = 'unpdf';
/** The tested release, installed on demand, because it is a sixth of the size of svc. */
export const PDF_VERSION = '1.7.0';
/** The name of its folders among the libraries. */
export const PDF_NAME = 'pdf';

/** The library for PDF files, if it is installed in the release that svc needs. @param dir of libraries */
export function installedPdfLibrary(dir: string): InstalledPackages | undefined {
  const installed = readInstalled(dir, PDF_NAME);
  return installed?.version === PDF_VERSION ? installed : undefined;
}
