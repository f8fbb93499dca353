import type * as z from 'zod/mini';

/** A JSON document in docs/json.md. */
export interface JsonDocument {
  readonly title: string;
  readonly introduction: string;
  readonly schema: z.ZodMiniType;
  /** Must match the schema. */
  readonly example: unknown;
}
