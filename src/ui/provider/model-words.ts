/** The model name; for an `hf:` or http reference, its last part. */
export function modelWords(model: string | null): string {
  if (model === null) return '–';
  return /^(?:hf:|https?:)/u.test(model) ? model.slice(model.lastIndexOf('/') + 1) : model;
}
