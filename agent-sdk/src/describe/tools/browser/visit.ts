/** Where a browser goes, its tabs, and looking at a page. */
import { type DescribeContext, end, middle } from '../../describer.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { high, low, normal, shown, type Told } from '../told.js';
import { placeOf } from '../web/rows.js';

export function toldVisit(given: Given, { toolName }: DescribeContext): Told | undefined {
  const url = given.text('url', 'uri', 'link', 'address', 'target_url');
  if (url === undefined) return visitWithout(given);
  const place = placeOf(url);
  const fresh =
    given.flag('new_tab', 'newTab') || /newpage|tabnew|opentab|tabscreate/.test(ownName(toolName));
  const dangerous = given.flag('allow_dangerous');
  return {
    summary: [fresh ? 'Open in a new tab ' : 'Open ', ...place.summary],
    blocks: place.blocks,
    reasons: [...place.reasons, ...(dangerous ? [high('starts the browser with its protections off')] : [])],
    least: 'low',
  };
}

/** `{type: "back"}` of the DevTools server. */
function visitWithout(given: Given): Told | undefined {
  const type = given.text('type', 'direction');
  if (type === undefined || !/^(?:back|forward|reload)$/.test(type)) return undefined;
  return { summary: ['Go ', end(type), ' in the browser'], blocks: shown('Where', type), least: 'low' };
}

export function toldTabs(given: Given, { toolName }: DescribeContext): Told | undefined {
  const action = given.text('action');
  const tab = given.word('index', 'tab_id', 'page_idx', 'page_id', 'tab');
  const words = action ?? (/close/.test(ownName(toolName)) ? 'close' : 'select');
  const what = tab === undefined ? 'browser tab' : 'browser tab ';
  const url = given.text('url');
  const place = url === undefined ? undefined : placeOf(url);
  return {
    summary: [
      end(capital(words)),
      ` ${what}`,
      ...(tab === undefined ? [] : [end(tab)]),
      ...(place === undefined ? [] : [': ', ...place.summary]),
    ],
    blocks: [...shown('Does', words), ...shown('Tab', tab), ...(place?.blocks ?? [])],
    reasons: place?.reasons ?? [],
    least: 'low',
  };
}

export function toldLook(given: Given, { toolName }: DescribeContext): Told | undefined {
  const goal = given.text('instruction', 'query', 'text', 'goal', 'element', 'selector', 'direction');
  const file = given.text('filename', 'file_path', 'path', 'name');
  return {
    summary: [
      end(capital(ownWords(toolName))),
      ...(goal === undefined ? [] : [': ', end(goal)]),
      ...(file === undefined ? [] : [' to ', middle(file)]),
    ],
    blocks: [...shown('About', goal), ...shown('File', file, 'path')],
    reasons: [file === undefined ? low('only looks') : normal(`writes ${file.slice(0, 80)}`)],
    least: 'low',
  };
}

/** `browser_take_screenshot` → "take screenshot" */
function ownWords(toolName: string): string {
  const name = toolName.slice(0, 200).replace(/^.*(?:__|[./:])/s, '');
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .replace(/^(?:browser|playwright|puppeteer|browserbase stagehand|stagehand) /i, '')
    .toLowerCase()
    .trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
