import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const questionSchema = z.object({
  conversation: z.string(),
  question: z.string(),
  category: z.union([z.string(), z.number()]),
  evidence: z.array(z.object({ file: z.string(), line: z.number() })),
});

/**
 * The questions of a set of conversations as lines for `svc memory eval`. The set is a folder with one workspace
 * per conversation and `questions.jsonl`: {conversation, question, category, evidence: [{file,
 * line}]}.
 */
export function chatQuestions(folder: string): string {
  const lines = readFileSync(join(folder, 'questions.jsonl'), 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => questionSchema.parse(JSON.parse(line)))
    .map(({ conversation, question, category, evidence }, at) => {
      const line = {
        id: `q${at + 1}`,
        question,
        expect: evidence.map((item) => `${item.file}#L${item.line}`),
        tags: [`category ${category}`],
        workspace: join(folder, conversation),
      };
      return `${JSON.stringify(line)}\n`;
    })
    .join('');
}
