import { COMPLETION_SHELLS } from '../engine/set-up/shell-completion.js';

/** Shells that have a script; PowerShell has no place where svc could install it. */
export const SCRIPT_SHELLS = [...COMPLETION_SHELLS, 'powershell'] as const;

/**
 * Replaces the script of `@bomb.sh/tab`, which evaluates what was typed: a Tab would run `$(…)` and empty the file after
 * `>`. A reply completes what follows the last of the characters at which bash splits words.
 */
const BASH = `# bash completion for svc
__svc_complete() {
    local cur words cword line value typed
    if declare -F _get_comp_words_by_ref >/dev/null; then
        _get_comp_words_by_ref -n "=:" cur words cword
    else
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]}
    fi
    typed=$cur
    [[ $cur == -*=* ]] && typed=\${cur#*=}
    COMPREPLY=()
    while IFS= read -r line; do
        value=\${line%%$'\\t'*}
        if [[ $line == *$'\\t'* && $value == "$typed"* ]]; then
            COMPREPLY+=("\${value#"\${typed%"\${typed##*:}"}"}")
        fi
    done < <(svc complete -- "\${words[@]:1:cword}" 2>/dev/null)
    # What is in a folder follows without a space; bash 3 has no compopt.
    [[ $COMPREPLY == */ ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F __svc_complete svc
`;

/** That of `@bomb.sh/tab` also evaluates what was typed before a `=`: a Tab after `--where 'due-date>=` would empty a file. */
const ZSH = `#compdef svc
compdef _svc svc

_svc() {
    local line value description
    local -a replies folders
    while IFS= read -r line; do
        [[ $line == *$'\\t'* ]] || continue
        value=\${line%%$'\\t'*} description=\${line#*$'\\t'}
        if [[ $value == */ ]]; then folders+=("\${value//:/\\:}"); continue; fi
        replies+=("\${value//:/\\:}\${description:+:$description}")
    done < <(svc complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='
    _describe svc replies -Q -- folders -Q -S ''
}

# As a file of fpath, this is the function.
if [[ $funcstack[1] == _svc ]]; then _svc; fi
`;

/** The completion script of a shell. */
export async function completionScript(shell: (typeof SCRIPT_SHELLS)[number]): Promise<string> {
  if (shell === 'bash') return BASH;
  if (shell === 'zsh') return ZSH;
  const { script } = await import('@bomb.sh/tab');
  // The library prints its scripts and returns none.
  const { log } = console;
  const printed: string[] = [];
  console.log = (text: string) => void printed.push(text);
  try {
    script(shell, 'svc', 'svc');
  } finally {
    console.log = log;
  }
  return `${printed.join('\n')}\n`;
}
