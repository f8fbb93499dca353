/** Where the tool keeps its files, by its environment. */
export function placesOf(env: Readonly<Record<string, string | undefined>>): {
  readonly config: string;
  readonly index: string;
};
