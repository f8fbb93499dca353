import { extname } from 'node:path';

/** Documents besides Markdown that can be indexed: the values of `memorySearch.documents`. */
export const DOCUMENT_FORMATS = ['txt', 'org', 'rst', 'html', 'pdf', 'docx'] as const;

export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Formats whose text must be extracted first, by a library. */
export type ExtractedFormat = Extract<DocumentFormat, 'docx' | 'html' | 'pdf'>;

const BY_EXTENSION: Readonly<Record<string, DocumentFormat>> = {
  '.txt': 'txt',
  '.org': 'org',
  '.rst': 'rst',
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.pdf': 'pdf',
  '.docx': 'docx',
};

/**
 * Marks what was extracted by this version of svc. Increase it when another text results for the same file, such as
 * with a newer library: then all such files are extracted again.
 */
export const EXTRACTION_VERSION = 5;

/** The format by file name; undefined for other files, and for Markdown. */
export function documentFormatOf(name: string): DocumentFormat | undefined {
  const extension = extname(name).toLowerCase();
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension] : undefined;
}

export function isExtracted(format: DocumentFormat): format is ExtractedFormat {
  return format === 'docx' || format === 'html' || format === 'pdf';
}

/** The line that starts a page in the text of a PDF. */
export function pageLine(page: number): string {
  return `--- Page ${page} ---`;
}

const PAGE_LINE = /^--- Page (\d{1,6}) ---$/u;

/** The page that a line starts, if it does. */
export function pageOfLine(line: string): number | undefined {
  const page = PAGE_LINE.exec(line)?.[1];
  return page === undefined ? undefined : Number(page);
}
