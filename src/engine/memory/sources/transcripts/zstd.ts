/** `zstdDecompressSync` of Node.js 22.15 and newer, which the types of Node.js 20 lack; undefined before. */
export function zstdDecompressor() {
  const zlib: typeof import('node:zlib') & {
    readonly zstdDecompressSync?: (
      packed: Uint8Array,
      options: { readonly maxOutputLength: number },
    ) => Buffer;
  } = process.getBuiltinModule('node:zlib');
  return zlib.zstdDecompressSync;
}
