/** Words of simulated replies; of six letters at most, so that `tokenizeText` makes each one token. */
export const REPLY_WORDS: readonly string[] = `
  the of and to in is that it was for on are as with his they at be this have from or one had by
  word but not what all were we when your can said there use an each which she do how their if
  will up other about out many then them these so some her would make like him into time has look
  two more write go see number no way could people my than first water been call who oil its now
  find long down day did get come made may part over new sound take only little work know place
  year live me back give most very after thing our just name good man think say great where help
  much before line right too mean old any same tell boy follow came want show also around form
  three small set put end does well large must big even such turn here why ask went men read need
  land home us move try kind hand again change off play spell air away animal house point page
  letter mother answer found study still learn should world high every near add food own below
  plant last school father keep tree never start city earth eye light head under story saw left
  few while along might close seem next hard open begin life always those both paper group often
  run until side feet car mile night walk white sea began grow took river four carry state once
  book hear stop second late miss idea enough eat face watch far real almost let above girl cut
  young talk soon list song being leave family body music color stand sun dog horse bird room
  knew since ever piece told door order red top ship across today during short better best low
  hours black reach field power engine token model batch memory
`
  .trim()
  .split(/\s+/);
