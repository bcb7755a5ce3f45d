/** Parts of the names of employees. */
export const firstNames = [
  'Amara',
  'Bjorn',
  'Carmen',
  'Dmitri',
  'Elif',
  'Farid',
  'Greta',
  'Hiro',
  'Ines',
  'Jonas',
  'Katarina',
  'Liam',
  'Mei',
  'Noah',
  'Olga',
  'Pedro',
  'Quinn',
  'Rania',
  'Soren',
  'Tariq',
  'Uma',
  'Viktor',
  'Wanda',
  'Xavier',
  'Yara',
  'Zoltan',
] as const

export const lastNames = [
  'Almeida',
  'Berg',
  'Castro',
  'Dahl',
  'Eriksen',
  'Fischer',
  'Gupta',
  'Haddad',
  'Ivanova',
  'Jansen',
  'Kowalski',
  'Lindqvist',
  'Moreau',
  'Nakamura',
  'Okafor',
  'Petrov',
  'Quist',
  'Rossi',
  'Schneider',
  'Tanaka',
  'Ueda',
  'Vargas',
  'Weber',
  'Yilmaz',
  'Zimmer',
] as const

/** Domains with the teams that answer for them and their parts: `domain: team | part = what it is | …`. */
export const domainsText = `
Sales: commerce_team | Web Shop = Baskets and orders of the site and the app | Stores = Sales in shops | Payments = \
Money that comes in and goes back
Customer: customer_team | Profiles = Who customers are | Loyalty = The loyalty programme | Service = Help for customers
Product: assortment_team | Assortment = What is on sale | Pricing = Prices and promotions | Reviews = What customers say
Supply Chain: supply_team | Procurement = Suppliers and purchase orders | Warehousing = Stock and the work in \
warehouses | Shipping = Parcels and carriers
Finance: finance_team | Accounting = Ledgers and closing | Controlling = Budgets and margins
Marketing: marketing_team | Campaigns = Advertising and newsletters | Web Analytics = Behaviour of visitors
People: people_team | Workforce = Employees and working time
Data Platform: platform_team | Machine Learning = Features, models and predictions | Reporting = Figures for the board
`
