/**
 * The 512 words of synthetic prompts: common, of four letters, and each with its space one token in
 * cl100k, o200k and p50k, so that prompts of as many words come to nearly as many tokens.
 *
 * Their order is part of every synthetic prompt: another list makes another benchmark.
 */
export const PROMPT_WORDS: readonly string[] = `
  able acts adds aged ages also amid apps area army arts auto axis back ball band base bass bath
  beam bear beat been bees bell belt best beta bike bill bind bird bite bits blue boat body bold
  bolt bond bone book boot born boss both bowl bulk byte cage cake call calm came camp card care
  cars cart case cash cave cell chip city clip club coat code coin cold come cook copy cord core
  corn cost crew crop cups cuts dark data date dawn days deal dear deck deep demo desk dice dirt
  dish disk dive does done door dose down draw drum dual dust duty earn ease easy echo edge edit
  eggs else ends epic even ever exam exit eyes fact fail fair fake fall farm fast feel feet felt
  fill find fire fish five flag flat flip flow fold folk font food foot fork form four free from
  full fund gain game gaps gave gift give goal goes golf good grab gram gray grid grip grow hair
  half hall hand hard hash have head hear heat held helm help here hide high hike hill hits hold
  home hood hook hope horn hour icon idea inch into iron item join joke jump just keen keep kept
  keys kick kind king kits knew know lady lake land lane last late lazy lead leaf lean leap left
  legs lens less life lift like line link lion list live load logo long loop loot lose loss lots
  loud luck made mail main make mall many maps mark mask mast math meal mean meat meet menu mice
  mild mind mini miss mode mole mood moon more moss most move much must nail name near neat need
  nest news next nice nine node none nose note nuts odds okay once only open oral ours oven over
  pace pack page paid pair pale palm park part pass past path pays peak peer pier pile pink plan
  play plot plug plus pole pond pool post pump pure push quad quit rack rail ramp rank rare rate
  read real rear rest rice rich ride ring rise risk road rock role roll roof room root rose rows
  rule runs rush safe said sale salt same sand save scan seal seam seat seed seek seem seen sees
  self sent sets ship shoe shop show side sign sing site size skip slim slip slot snap snow soft
  soil sold solo some song soon soup span spin spot star stay stem step stir stop such suit sure
  surf swim sync tags tail take tale talk tall tank tape task taxi team tend tent test than that
  them then they thin this tick ties tile time tiny tips tire told tone tons took tool tour town
  toys tree trim trip true tube tune turn twin type unit used vast verb very view vine void vote
  wage wait wake walk wall ward warm warn wash wave wear week well went were what when wide wild
  will wind wine wing wins wire wise wish with wolf wood word work wrap year your zero zone
`
  .trim()
  .split(/\s+/);
