/** `memorySearch.store.vector`: whether and from where the vector extension is loaded. */
export interface VectorSettings {
  readonly enabled: boolean;
  /** A file in place of the bundled one; its ending may be left out. */
  readonly extensionPath?: string | undefined;
}

/** Loads the bundled extension. */
export const DEFAULT_VECTOR_SETTINGS: VectorSettings = { enabled: true };
