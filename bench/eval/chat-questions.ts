import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

const chatSchema = z.object({ workspace: z.string(), expect: z.array(z.string()) });

/**
 * The same questions on all conversations in one workspace, where other people talk about the same things. Each
 * note's name gets that of its conversation.
 *
 * @param questions lines of {@link chatQuestions}
 * @param workspace a folder to create
 */
export function pooledQuestions(questions: string, workspace: string): string {
  const lines = questions.trim().split('\n');
  const parsed = lines.map((line) => ({ line, ...chatSchema.parse(JSON.parse(line)) }));
  const notes = join(workspace, 'memory');
  mkdirSync(notes, { recursive: true });
  for (const from of new Set(parsed.map((question) => question.workspace))) {
    for (const name of readdirSync(join(from, 'memory'))) {
      cpSync(join(from, 'memory', name), join(notes, pooledName(name, from)));
    }
  }
  return parsed
    .map(({ line, workspace: from, expect }) => {
      const moved = expect.map((place) => pooledName(place, from));
      return `${JSON.stringify({ ...JSON.parse(line), workspace, expect: moved })}\n`;
    })
    .join('');
}

function pooledName(name: string, workspace: string): string {
  return name.replace('.md', `-${basename(workspace)}.md`);
}
