import * as z from 'zod/mini';

/** `Blob` of the API: strict, as Google refuses unknown names. */
export const inlineDataSchema = z.strictObject({
  inlineData: z.strictObject({ mimeType: z.string(), data: z.string() }),
});
type InlineData = z.infer<typeof inlineDataSchema>['inlineData'];

/** Bytes of a whole request with inline data (ai.google.dev, "Files API"). */
export const MAX_REQUEST_BYTES = 20_000_000;
/** Of one request (ai.google.dev, "Embeddings"). */
export const MAX_IMAGES = 6;

/** The documented types, with the first bytes of such files. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['\x89PNG'],
  'image/jpeg': ['\xff\xd8\xff'],
  'audio/mpeg': ['ID3', '\xff\xfb'],
  'audio/wav': ['RIFF'],
};

/** What a file depicts, by the comment of test/support/media-files.ts; or why it is refused. */
export function depictedText({
  mimeType,
  data,
}: InlineData): string | { readonly refused: string } {
  const beginnings = Object.hasOwn(BEGINNINGS, mimeType) ? BEGINNINGS[mimeType] : undefined;
  if (beginnings === undefined) return { refused: `Unsupported MIME type: ${mimeType}` };
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data) return { refused: 'Invalid base64 in inline data.' };
  const content = bytes.toString('latin1');
  // Google does not say which file is wrong.
  if (!beginnings.some((beginning) => content.startsWith(beginning))) {
    return { refused: 'Request contains an invalid argument.' };
  }
  if (content.includes('depicts "nothing that can be read"')) {
    return { refused: 'Request contains an invalid argument.' };
  }
  return /depicts "([^"]*)"/.exec(content)?.[1] ?? '';
}

/** The images of a request, whatever their place in it. */
export function imagesIn(json: string): number {
  return json.match(/"mimeType":"image\//g)?.length ?? 0;
}
