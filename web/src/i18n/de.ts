/** German. Typed by the English keys: a missing or a strange one does not compile. */
import type { en } from './en.js';

export const de: Readonly<Record<keyof typeof en, string>> = {
  back: 'Zurück',
  cancel: 'Abbrechen',
  close: 'Schließen',

  'trouble.title': 'Countersign lässt sich nicht öffnen',
  'trouble.storage':
    'Dieser Browser lässt die App ihre Schlüssel nicht aufbewahren. Meist liegt es an einem privaten Fenster oder an gesperrten Websitedaten.',

  'nav.label': 'Ansichten',
  'nav.inbox': 'Eingang',
  'nav.history': 'Verlauf',
  'nav.settings': 'Einstellungen',
  'nav.waiting_one': '{{count}} wartet',
  'nav.waiting_other': '{{count}} warten',

  'welcome.title': 'Ihre Agenten fragen. Sie entscheiden.',
  'welcome.text':
    'Koppeln Sie dieses Gerät mit einem Agenten. Was er vorhat, erscheint hier, unterwegs verschlüsselt, und nichts läuft vor Ihrem Ja.',

  'inbox.title': 'Wartet auf Sie',
  'inbox.refresh': 'Neueste Liste anfordern',
  'inbox.empty': 'Nichts wartet',
  'inbox.emptyText': 'Braucht ein Agent Ihre Entscheidung, erscheint sie sofort hier.',
  'inbox.notYet': 'Noch keine Liste',
  'inbox.notYetText': 'Sie kommt, sobald ein Agent verbunden ist.',
  'inbox.asOf': 'Stand: {{when}}',

  'agents.title': 'Agenten',
  'agent.online': 'verbunden',
  'agent.away': 'Agent nicht verbunden',
  'agent.connecting': 'verbindet …',
  'agent.offline': 'keine Verbindung, neuer Versuch folgt',
  'agent.revoked': 'hat dieses Gerät entfernt; zum Benutzen neu koppeln',
  'agent.clockSkew': 'die Uhr dieses Geräts geht um Tage falsch; bitte stellen',

  'tab.elsewhere': 'Countersign ist in einem anderen Tab offen, der die Verbindung hält.',
  'tab.useHere': 'Hier verwenden',

  'risk.high': 'Hohes Risiko',
  'kind.clarification': 'Frage',
  'kind.elicitation': 'Eingabe erbeten',

  'item.expired': 'abgelaufen',
  'item.timeLeft': 'Verbleibende Zeit:',
  'item.waiting': 'Wartet auf den Agenten',
  'item.unreadable': 'Nicht lesbar',
  'item.choose': 'Wählen Sie links etwas aus, um es ganz zu sehen.',

  'answer.onTheirWay': 'Antworten unterwegs',
  'answer.sending': 'Wird gesendet …',
  'answer.sent': 'Gesendet. Die Bestätigung des Agenten steht aus.',
  'answer.notConfirmed': 'Noch nicht bestätigt, neuer Versuch läuft.',
  'answer.confirmed': 'Vom Agenten bestätigt.',
  'answer.confirmedFor': 'Vom Agenten bestätigt, für {{span}}.',
  'answer.alreadyDecided': 'Bereits entschieden: {{outcome}}. Ihre Antwort hat nichts geändert.',
  'answer.alreadyDecidedBy': 'Bereits {{outcome}} auf {{by}}. Ihre Antwort hat nichts geändert.',
  'answer.expired': 'Es war abgelaufen, bevor Ihre Antwort den Agenten erreichte.',
  'answer.unknown': 'Der Agent kennt das nicht mehr. Ihre Antwort hat nichts geändert.',
  'answer.agentGone':
    'Der Agent war weg, bevor die Antwort ihn erreichte. Antworten Sie erneut, wenn er verbunden ist.',
  'answer.invalid': 'Der Agent hat die Antwort abgelehnt. Öffnen Sie es erneut und antworten Sie neu.',
  'answer.cameBack': 'Antwort nicht bestätigt',

  'outcome.approved': 'genehmigt',
  'outcome.rejected': 'abgelehnt',
  'outcome.answered': 'beantwortet',
  'outcome.expired': 'abgelaufen',
  'outcome.cancelled': 'zurückgezogen',
  'outcome.superseded': 'ersetzt',

  'pair.title': 'Mit einem Agenten koppeln',
  'pair.start': 'Mit einem Agenten koppeln',
  'pair.another': 'Mit weiterem Agenten koppeln',
  'pair.how':
    'Führen Sie dort, wo der Agent läuft, „countersign pair“ aus. Es zeigt einen Code zum Scannen und einen Link zum Einfügen.',
  'pair.scan': 'Code scannen',
  'pair.picture': 'Bild der Kamera',
  'pair.noCamera': 'Hier ist keine Kamera nutzbar. Fügen Sie stattdessen den Link ein.',
  'pair.paste': 'Oder den Link einfügen',
  'pair.look': 'Link ansehen',
  'pair.agent': 'Agent',
  'pair.unnamed': 'ohne Namen',
  'pair.relay': 'Relay',
  'pair.servedBy': 'Diese Seite',
  'pair.whoServes':
    'Diese Seite kommt von {{host}}. Wer sie ausliefert, könnte mitlesen und an Ihrer Stelle genehmigen; koppeln Sie nur auf einer Seite, deren Betreiber Sie vertrauen.',
  'pair.deviceName': 'Name dieses Geräts in der Liste des Agenten',
  'pair.now': 'Koppeln',
  'pair.working': 'Wird gekoppelt …',
  'pair.typeCode': 'Geben Sie diesen Code beim Agenten ein:',
  'pair.typeCodeAt': 'Geben Sie diesen Code dort ein, wo {{agent}} danach fragt:',
  'pair.codeWhy':
    'Er beweist, dass niemand zwischen diesem Gerät und dem Agenten steht. Lesen Sie ihn niemand anderem vor.',
  'pair.waiting': 'Warten auf die Eingabe des Codes.',
  'pair.confirmed': 'Bestätigt. Dieses Gerät ist gekoppelt.',
  'pair.toInbox': 'Zum Eingang',
  'pair.problem.invalid_link':
    'Das ist kein Kopplungslink. Kopieren Sie ihn ganz, oder fordern Sie beim Agenten einen neuen an.',
  'pair.problem.link_expired': 'Dieser Link ist abgelaufen. Fordern Sie beim Agenten einen neuen an.',
  'pair.problem.pairing_closed':
    'Dieser Link wurde schon benutzt oder beim Agenten geschlossen. Fordern Sie einen neuen an.',
  'pair.problem.not_found': 'Das Relay kennt diesen Agenten nicht. Läuft der Agent, und ist der Link neu?',
  'pair.problem.relay_binding':
    'Das Relay, das antwortete, ist nicht das aus dem Link. Es wurde nichts gekoppelt.',
  'pair.problem.unsupported': 'Dieses Relay nimmt keine Web-Geräte an.',
  'pair.problem.rate_limited': 'Zu viele Versuche. Warten Sie eine Minute.',
  'pair.problem.unavailable':
    'Das Relay ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  'pair.problem.storage_full': 'Der Browser hat keinen Platz mehr für diese App. Es wurde nichts gekoppelt.',

  'install.ios':
    'Auf iPhone und iPad brauchen Mitteilungen die App auf dem Home-Bildschirm: „Teilen“ antippen, dann „Zum Home-Bildschirm“, und dort öffnen.',
  'install.android':
    'Installieren Sie die App über das Menü des Browsers: „Zum Startbildschirm hinzufügen“ oder „App installieren“.',
  'install.desktop':
    'Ihr Browser kann diese App installieren: achten Sie auf das Installationszeichen in der Adressleiste.',

  yes: 'Ja',
  no: 'Nein',
  copy: 'Kopieren',
  copied: 'Kopiert',
  tryAgain: 'Erneut versuchen',
  dismiss: 'Ausblenden',

  'risk.low': 'Geringes Risiko',
  'asks.approval': 'bittet um Genehmigung, {{when}}',
  'asks.clarification': 'stellt eine Frage, {{when}}',
  'asks.elicitation': 'bittet um Eingabe, {{when}}',

  'item.view': 'Was geschehen würde',
  'item.more': 'Einzelheiten und rohe Argumente',
  'item.tool': 'Werkzeug:',
  'item.argumentsText': 'Argumente, wie sie kamen',
  'item.loading': 'Wird ganz geladen …',
  'item.partial': 'Nur ein Teil ist angekommen. Ablehnen geht, genehmigen nicht.',
  'item.agentSilent': 'Nur die Ankündigung ist da; der Agent antwortet noch nicht.',
  'item.unreadableText':
    'Diese App kann es nicht lesen, darum lässt es sich hier nicht genehmigen. Aktualisieren Sie die App, antworten Sie auf einem anderen Gerät, oder lehnen Sie ab.',
  'item.altered':
    'Das kam verändert an: gezeigt wird nicht, was der Agent unterschrieben hat. Es lässt sich nur ablehnen.',
  'item.ended':
    'Der Agent fragt das nicht mehr: es wurde anderswo entschieden, ist abgelaufen oder wurde zurückgezogen.',
  'item.endedHow': 'Das ist beendet: {{how}}.',
  'item.next': 'Weiter',

  'hindrance.waiting': 'Wartet auf den Agenten. Noch nicht zu genehmigen.',
  'hindrance.unreadable': 'Hier nicht lesbar, darum nicht zu genehmigen.',
  'hindrance.altered': 'Verändert angekommen, darum nicht zu genehmigen.',
  'hindrance.partial': 'Nur ein Teil ist da, darum noch nicht zu genehmigen.',
  'hindrance.expired': 'Die Zeit ist um.',
  'hindrance.unseen': 'Hohes Risiko: vor dem Genehmigen bis zum Ende lesen.',

  'hold.approve': 'Zum Genehmigen halten',
  'hold.hint': 'Eine Sekunde lang gedrückt halten.',

  'choice.approve': 'Genehmigen',
  'choice.reject': 'Ablehnen',
  'choice.more': 'Weitere Möglichkeiten',
  'choice.groupApprove': 'Genehmigen',
  'choice.groupReject': 'Nicht genehmigen',
  'choice.approveFor': 'Für {{span}} genehmigen',
  'choice.approveSession': 'Für diese Sitzung genehmigen',
  'choice.approveRule': 'Immer: {{rule}}',
  'choice.standingText':
    'Dauergenehmigungen gelten für jeden späteren Aufruf dieses Werkzeugs, mit welchen Argumenten auch immer. Sie beenden sie in den Einstellungen.',
  'choice.edit': 'Ändern, dann genehmigen',
  'choice.rejectReason': 'Mit Begründung ablehnen',
  'choice.rejectStop': 'Ablehnen und Lauf beenden',
  'choice.respond': 'Stattdessen antworten',
  'choice.respondSend': 'Antwort senden',

  'reason.reason': 'Mit Begründung ablehnen',
  'reason.reasonText': 'Der Agent liest die Begründung und kann es anders versuchen.',
  'reason.reasonLabel': 'Begründung',
  'reason.stop': 'Ablehnen und Lauf beenden',
  'reason.stopText': 'Nichts läuft, und der Agent beendet, was er tut.',
  'reason.stopLabel': 'Begründung (freiwillig)',
  'reason.respond': 'Stattdessen antworten',
  'reason.respondText': 'Nichts läuft. Der Agent bekommt Ihren Text als Ergebnis des Aufrufs.',
  'reason.respondLabel': 'Antwort',

  'edit.title': 'Ändern, dann genehmigen',
  'edit.text': 'Genau was hier steht, wird ausgeführt.',
  'edit.approve': 'Geändert genehmigen',
  'edit.holdApprove': 'Halten, um geändert zu genehmigen',

  'form.optional': '(freiwillig)',
  'form.nothing': 'Nichts gewählt',
  'form.kept': 'Enthält ein Geheimnis und bleibt, wie es ist.',
  'form.show': 'Zeigen, solange gedrückt',
  'form.fault.required': 'Wird gebraucht.',
  'form.fault.type': 'Nicht von der verlangten Art.',
  'form.fault.minLength': 'Zu kurz.',
  'form.fault.maxLength': 'Zu lang.',
  'form.fault.pattern': 'Nicht in der verlangten Form.',
  'form.fault.format': 'Nicht in der verlangten Form.',
  'form.fault.minimum': 'Zu klein.',
  'form.fault.maximum': 'Zu groß.',
  'form.fault.enum': 'Keine der Möglichkeiten.',
  'form.fault.invalid': 'Ungültig.',

  'clarification.context': 'Zusammenhang',
  'clarification.suggested': 'Vorgeschlagene Antworten',
  'clarification.own': 'Eigene Worte',
  'clarification.send': 'Antwort senden',

  'elicitation.from': 'Gefragt von',
  'elicitation.sensitive':
    'Ihre Eingabe ist geheim: sie geht nur hinaus, solange der Agent verbunden ist, und wird nie gespeichert.',
  'elicitation.send': 'Senden',
  'elicitation.visit': 'Sie werden gebeten, diese Adresse zu besuchen:',
  'elicitation.visited': 'Ich war dort',
  'elicitation.decline': 'Ablehnen',
  'elicitation.cancel': 'Schließen',

  'give.unavailable':
    'Der Agent ist gerade nicht verbunden, und diese Antwort kann nicht warten. Antworten Sie erneut, wenn er es ist.',
  'give.tooLarge': 'Die Antwort ist zu lang zum Senden. Kürzen Sie sie.',
  'give.queueFull': 'Zu viele Antworten warten auf das Senden. Verbinden Sie sich zuerst.',
  'give.storageFull': 'Der Browser hat keinen Platz mehr für diese App. Es wurde nichts gesendet.',
  'give.invalid': 'Es hat sich inzwischen geändert oder ist beendet. Sehen Sie es noch einmal an.',

  'answer.given': 'Beantwortet',
  'decision.approved': 'Genehmigt',
  'decision.approved_for': 'Auf Zeit genehmigt',
  'decision.approved_session': 'Für diese Sitzung genehmigt',
  'decision.approved_rule': 'Durch Regel genehmigt',
  'decision.approved_edited': 'Geändert genehmigt',
  'decision.rejected': 'Abgelehnt',
  'decision.stopped': 'Abgelehnt, Lauf beendet',
  'decision.responded': 'Stattdessen beantwortet',
  'decision.answered': 'Beantwortet',
  'decision.accepted': 'Eingabe gesendet',
  'decision.declined': 'Abgelehnt',
  'decision.cancelled': 'Offen gelassen',

  'block.cut': 'vom Absender gekürzt',
  'block.secret': 'Geheim. Zum Zeigen gedrückt halten.',
  'block.hold': 'gedrückt halten',
  'block.wrap': 'Lange Zeilen umbrechen',

  'link.title': 'Wohin das führt',
  'link.host': 'Host:',
  'link.plain': 'Diese Adresse ist nicht verschlüsselt.',
  'link.open': 'Öffnen',

  justNow: 'gerade eben',
  'history.export': 'Exportieren',
  'history.empty': 'Noch keine Entscheidungen',
  'history.emptyText': 'Was Sie auf diesem Gerät entscheiden, bleibt hier, mit unterschriebenem Beleg.',
  'history.receipt': 'Unterschriebener Beleg',

  'agents.since': 'seit {{when}}',
  'agents.change': 'Ändern',
  'agents.label': 'Bezeichnung auf diesem Gerät',
  'agents.color': 'Farbe',
  'agents.deviceId': 'Dieses Gerät beim Agenten:',
  'agents.unpair': 'Entkoppeln',
  'agents.unpairText':
    'Die Schlüssel dieser Kopplung werden von diesem Gerät entfernt. Der Agent erfährt es, wenn er erreichbar ist.',
  'agents.unpairSure': 'Diese Kopplung entfernen',
  'agents.unpairing': 'Wird entfernt …',
  'color.0': 'Blau',
  'color.1': 'Grün',
  'color.2': 'Orange',
  'color.3': 'Violett',
  'color.4': 'Rosa',
  'color.5': 'Türkis',
  'color.6': 'Oliv',
  'color.7': 'Grau',

  'bypass.title': 'Dauergenehmigungen',
  'bypass.session': 'bis seine Sitzung endet',
  'bypass.until': 'endet {{when}}',
  'bypass.by': 'erteilt auf {{by}}',
  'bypass.end': 'Beenden',
  'bypass.ending': 'Wird beendet …',

  'push.turnOn': 'Mitteilungen einschalten',
  'push.later': 'Jetzt nicht',
  'push.on': 'Mitteilungen erreichen dieses Gerät, versiegelt: Nur es kann sie lesen.',
  'push.default': 'Erfahre, wenn ein Agent fragt, auch wenn die App geschlossen ist.',
  'push.denied':
    'Mitteilungen sind blockiert. Erlaube sie für diese Seite in den Einstellungen des Browsers (Zeichen links der Adresse).',
  'push.unsupported': 'Dieser Browser hat kein Push. Anfragen erscheinen, solange die App offen ist.',
  'push.home_screen':
    'Mitteilungen brauchen die App auf dem Home-Bildschirm: „Teilen“ antippen, dann „Zum Home-Bildschirm“, und dort öffnen.',
  'push.no_relay_push':
    'Das Relay sendet kein Push. Mitteilungen kommen nur, solange die App offen ist, auch im Hintergrund.',
  'push.partly':
    'Mitteilungen kommen nur von manchen Agenten: Ein Browser kann nur bei einem Relay zugleich angemeldet sein.',
  'push.failed':
    'Mitteilungen ließen sich nicht einrichten: Der Push-Dienst des Browsers oder das Relay antwortete nicht.',

  'notices.title': 'Mitteilungen',
  'notices.private': 'Private Vorschau',
  'notices.privateText':
    'Mitteilungen sagen nur, dass etwas wartet. Agenten werden gebeten, nicht mehr zu senden.',
  'notices.sounds': 'Ton',
  'notices.soundsText': 'Ein kurzer Ton, wenn bei offener App etwas Neues kommt.',
  'notices.quiet': 'Ruhezeit',
  'notices.quietText': 'In dieser Zeit kein Ton, auf diesem Gerät.',
  'notices.from': 'Von',
  'notices.to': 'Bis',

  'looks.title': 'Darstellung',
  'looks.theme': 'Thema',
  'looks.textSize': 'Schriftgröße',
  'looks.language': 'Sprache',
  'theme.system': 'Wie das System',
  'theme.light': 'Hell',
  'theme.dark': 'Dunkel',
  'theme.contrast': 'Hoher Kontrast',
  'textSize.normal': 'Normal',
  'textSize.large': 'Groß',
  'textSize.larger': 'Größer',
  'language.system': 'Wie das System',
  'language.en': 'English',
  'language.de': 'Deutsch',

  'lock.title': 'Sperre',
  'lock.use': 'Entsperren des Geräts verlangen',
  'lock.text':
    'Fingerabdruck, Gesicht oder PIN beim Öffnen der App und vor dem Genehmigen bei hohem Risiko. Das schützt diesen Bildschirm; es verschlüsselt nicht.',
  'lock.failed': 'Das Gerät hat nicht bestätigt. Es wurde nichts geändert.',
  'lock.locked': 'Gesperrt',
  'lock.unlock': 'Entsperren',
  'lock.approve': 'Entsperren und genehmigen',

  'data.title': 'Daten',
  'data.history': 'Entscheidungen mit Belegen, als JSON',
  'data.diagnostics': 'Diagnose',
  'data.diagnosticsText':
    'Versionen und Zustände ohne Namen, Schlüssel oder Inhalte, zum Weitergeben, wenn etwas nicht geht.',
  'data.look': 'Ansehen',

  'diff.old': 'entfernt:',
  'diff.new': 'hinzugefügt:',
  'block.original': 'Gesendet als',
  'block.asWritten': 'Wie geschrieben zeigen',
  'block.laidOut': 'Gestaltet zeigen',
};
