import { describe, expect, it } from 'vitest';
import { ownName, plainName, wildcard } from './names.js';

describe('a tool name', () => {
  it.each([
    ['run_shell_command', 'runshellcommand'],
    ['runShellCommand', 'runshellcommand'],
    ['Run-Shell-Command', 'runshellcommand'],
    ['Bash', 'bash'],
  ])('%s is plainly %s', (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });

  it.each([
    ['mcp__filesystem__write_file', 'writefile'],
    ['functions.exec_command', 'execcommand'],
    ['mail/send_email', 'sendemail'],
    ['server:tool', 'tool'],
    ['write_file', 'writefile'],
    ['a__', 'a'],
    ['.', '.'],
  ])('%s is %s without its server', (name, own) => {
    expect(ownName(name)).toBe(own);
  });

  it('that is no name is compared as it is, and at once', () => {
    const long = '__'.repeat(500_000);
    expect(ownName(long)).toBe(long);
  });

  it('matches a wildcard in every place', () => {
    expect(wildcard('mcp__*__send*').test('mcp__x__send_mail')).toBe(true);
    expect(wildcard('mcp__*').test('xmcp__')).toBe(false);
    expect(wildcard('a.b**').test('aXb')).toBe(false);
  });
});
