/** Some vendors embed documents and queries differently. */
export type InputRole = 'document' | 'query';

export interface TextInput {
  /** Never blank. */
  readonly text: string;
  /** The headings above the text; prepended unless the vendor has a field for titles. */
  readonly title?: string | undefined;
  readonly media?: undefined;
}

export interface MediaPart {
  /** As `image/png`. */
  readonly mimeType: string;
  readonly data: Buffer;
}

export interface MediaInput {
  /** Its label; never blank. */
  readonly text: string;
  readonly title?: undefined;
  readonly media: MediaPart;
}

/** Only {@link EmbeddingAdapter.embedsMedia} adapters accept media. */
export type EmbeddingInput = MediaInput | TextInput;
