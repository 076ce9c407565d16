/** Tools that run command lines, under the names that agents give them. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { shell } from './shell.js';

const NAMES = [
  // Claude Code, Codex, Gemini CLI, OpenAI's and Anthropic's own tools
  ...listOf('Bash PowerShell shell shell_command exec_command local_shell local_shell_call'),
  ...listOf('container.exec'),
  ...listOf('run_shell_command bash_20250124 shell_call unified_exec write_stdin'),
  // LangChain, editors, other agents
  ...listOf('terminal shell_tool run_command run_terminal_cmd run_terminal_command run_in_terminal'),
  ...listOf('execute_command'),
  ...listOf('execute_bash execute_shell execute_shell_command run_bash run_shell run_script exec'),
  ...listOf('process_exec'),
  ...listOf('pwsh sh zsh cmd start_process run_process execute system command console ssh_exec'),
  ...listOf('run_bash_command bash_command run_terminal terminal_execute shell_exec sandbox_exec'),
  ...listOf('run_powershell'),
  // MCP servers of clouds and clusters
  ...listOf('call_aws run_aws_cli gcloud_run az_cli kubectl'),
];

export const shellTools: readonly DescriberEntry[] = NAMES.map((name) => [name, shell]);
