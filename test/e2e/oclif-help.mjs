// Prints what oclif itself answers to command lines, as JSON: `node oclif-help.mjs ROOT '[["--version"],…]'`.
import { run } from '@oclif/core/run';

const [root, lines] = process.argv.slice(2);
const { log } = console;
let printed = '';
console.log = (text = '') => {
  printed += `${text}\n`;
};
const answers = [];
for (const words of JSON.parse(lines)) {
  printed = '';
  await run(words, { root });
  answers.push(printed);
}
log(JSON.stringify(answers));
