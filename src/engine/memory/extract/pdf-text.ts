import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageLine } from '../../support/document-format.js';
import { unlessSystemError } from '../../support/files.js';
import { isInside, realOrGiven } from '../../support/paths.js';
import { type Extraction, limitedText, MOST_TEXT_CHARS } from './limits.js';

/** The text of a PDF, with a line at the start of each page. */
export async function pdfText(bytes: Uint8Array, libraryDir: string): Promise<Extraction> {
  const library = await loadLibrary(libraryDir);
  if (library === undefined) return { ok: false, fault: 'library' };
  try {
    const pdf = await library.getDocumentProxy(new Uint8Array(bytes), {
      isEvalSupported: false,
      useWorkerFetch: false,
      disableFontFace: true,
      stopAtErrors: false,
      verbosity: 0,
    });
    let text = '';
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const parts = items.map((item) =>
        'str' in item ? item.str + (item.hasEOL ? '\n' : '') : '',
      );
      text += `${pageLine(number)}\n${parts.join('').trim()}\n\n`;
      page.cleanup();
      if (text.length > MOST_TEXT_CHARS) break;
    }
    return limitedText(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const fault = error.name === 'PasswordException' ? 'encrypted' : 'invalid';
    return { ok: false, fault, detail: error.message };
  }
}

async function loadLibrary(dir: string): Promise<typeof import('unpdf') | undefined> {
  const file = unlessSystemError(() => createRequire(join(dir, 'from.js')).resolve('unpdf'));
  // Not from a folder above, which may be of somebody else.
  return file !== undefined && isInside(file, realOrGiven(join(dir, 'node_modules')))
    ? import(pathToFileURL(file).href)
    : undefined;
}
