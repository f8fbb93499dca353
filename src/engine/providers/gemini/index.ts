import { range } from '../dimensions.js';
import { type AddressedProvider, HOSTED } from '../provider.js';

/**
 * gemini-embedding-2 and later accept images and recordings, and get the task as part of the text.
 */
const LATER = /^gemini-embedding-[2-9]/u;
const TEXTS_ALONE = /^(?:models\/|gemini\/)*(?:gemini-embedding-001|text-embedding-|embedding-)/u;

/** Google's Gemini API. */
export const gemini: AddressedProvider<'gemini'> = {
  ...HOSTED,
  id: 'gemini',
  kind: 'multimodal-vendor',
  prefixes: ['models', 'gemini', 'google'],
  endpoint: 'https://generativelanguage.googleapis.com/v1beta',
  cutFromAddress: /\/openai(?:\/.*)?$/su,
  model: 'gemini-embedding-001',
  dimensions: { 'gemini-embedding-001': range(128, 3072), 'gemini-embedding-2': range(128, 3072) },
  key: { variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], required: true },
  batch: true,
  media: {
    model: 'gemini-embedding-2',
    takes: (model) => LATER.test(model),
    never: (model) => TEXTS_ALONE.test(model),
  },
  open: async (settings) => {
    const { createGeminiVendor } = await import('./vendor.js');
    return createGeminiVendor(settings, gemini);
  },
};
