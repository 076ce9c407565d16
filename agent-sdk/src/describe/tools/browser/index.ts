/** Tools that drive a browser or a screen: Playwright, Puppeteer, DevTools, browser-use, the models' own computer tools. */

import type { DescriberEntry } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { entries } from '../told.js';
import { toldClick, toldDialog, toldDrag, toldKeys, toldSelect, toldUpload } from './act.js';
import { toldComputer } from './computer.js';
import { toldScript } from './page.js';
import { toldForm, toldType } from './type.js';
import { toldLook, toldTabs, toldVisit } from './visit.js';

const NAMES: readonly (readonly [names: readonly string[], tell: Parameters<typeof entries>[1]])[] = [
  [
    [
      ...listOf('browser_navigate playwright_navigate puppeteer_navigate navigate navigate_page new_page'),
      ...listOf('go_to_url goto navigate_browser open_tab browser_tab_new browser_goto'),
      ...listOf('browserbase_stagehand_navigate browserbase_navigate stagehand_navigate browser_open'),
      ...listOf('open_browser navigate_to visit visit_page go_to open_page chrome_navigate'),
      ...listOf('browser_navigate_to visit_url tabs_create'),
    ],
    toldVisit,
  ],
  [
    [
      ...listOf('browser_click playwright_click puppeteer_click click click_element'),
      ...listOf('click_element_by_index click_element_by_text browser_mouse_click_xy click_at'),
      ...listOf('double_click right_click browser_screen_click chrome_click_element browser_hover hover'),
      ...listOf('hover_at playwright_hover puppeteer_hover browser_check browser_double_click'),
      ...listOf('browserbase_stagehand_act stagehand_act act tap left_click browser_act'),
    ],
    toldClick,
  ],
  [
    [
      ...listOf('browser_type type type_text type_text_at input_text input browser_screen_type'),
      ...listOf('browser_input type_into'),
    ],
    toldType,
  ],
  [
    [
      'playwright_fill',
      'puppeteer_fill',
      'fill',
      'browser_fill',
      'fill_field',
      'chrome_fill_or_select',
      'form_input',
    ],
    toldType,
  ],
  [['browser_fill_form', 'fill_form', 'submit_form', 'browser_form_fill', 'form_fill'], toldForm],
  [
    [
      ...listOf('browser_press_key press_key send_keys key_combination playwright_press_key'),
      ...listOf('chrome_keyboard keypress press browser_key hotkey'),
    ],
    toldKeys,
  ],
  [
    [
      'browser_select_option',
      'playwright_select',
      'puppeteer_select',
      'select_option',
      'select_dropdown_option',
      'select_dropdown',
      'browser_select',
    ],
    toldSelect,
  ],
  [
    [
      'browser_file_upload',
      'upload_file',
      'playwright_upload_file',
      'browser_upload',
      'upload_file_to_element',
      'file_upload',
    ],
    toldUpload,
  ],
  [
    [
      ...listOf('browser_evaluate playwright_evaluate puppeteer_evaluate evaluate_script browser_run_code'),
      ...listOf('execute_javascript evaluate chrome_inject_script browser_console_exec javascript_tool'),
      ...listOf('run_javascript execute_js evaluate_javascript browser_execute_script execute_script'),
    ],
    toldScript,
  ],
  [['browser_handle_dialog', 'handle_dialog', 'playwright_handle_dialog'], toldDialog],
  [
    [
      'browser_drag',
      'drag',
      'drag_and_drop',
      'playwright_drag',
      'browser_mouse_drag_xy',
      'drag_drop',
      'left_click_drag',
    ],
    toldDrag,
  ],
  [
    [
      ...listOf('browser_tabs browser_tab_select browser_tab_close switch_tab close_tab select_page'),
      ...listOf('close_page browser_close browser_close_tab playwright_close'),
    ],
    toldTabs,
  ],
  [
    [
      ...listOf('browser_snapshot browser_take_screenshot take_screenshot take_snapshot screenshot'),
      ...listOf('puppeteer_screenshot playwright_screenshot browser_wait_for wait_for'),
      ...listOf('browser_navigate_back browser_navigate_forward go_back go_forward'),
      ...listOf('browser_console_messages browser_network_requests browser_resize scroll scroll_down'),
      ...listOf('scroll_up scroll_at scroll_document browser_wait wait wait_5_seconds browser_scroll'),
      ...listOf('list_pages list_console_messages list_network_requests extract_structured_data'),
      ...listOf('extract_content browserbase_stagehand_extract browserbase_stagehand_observe extract_text'),
      ...listOf('browser_get_text browser_mouse_move_xy read_page get_page_text open_web_browser'),
      ...listOf('browser_pdf_save playwright_get_visible_text playwright_get_visible_html current_webpage'),
      ...listOf('previous_webpage get_elements extract_hyperlinks resize_page'),
    ],
    toldLook,
  ],
  [
    [
      ...listOf('computer computer_20250124 computer_20241022 computer_use computer_use_preview'),
      ...listOf('computer_call browser_action browser mouse keyboard browser_use'),
    ],
    toldComputer,
  ],
];

export const browserTools: readonly DescriberEntry[] = NAMES.flatMap(([names, tell]) => entries(names, tell));
