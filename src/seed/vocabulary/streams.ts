/**
 * Topics: `area / part: noun event event … | fields`. Each event gives a topic `area.noun.event`.
 * A field is `name:type`; `?` makes it optional, `[]` a list.
 */
export const topicsText = `
orders / Web Shop: order placed confirmed changed cancelled completed | order_number:string customer_id:long \
channel:Channel currency:string net_amount:decimal placed_at:time lines:OrderLine[] promotion_code:string?
orders / Web Shop: basket created changed abandoned | basket_key:string customer_id:long? item_count:int value:decimal \
last_seen_at:time
customers / Profiles: customer registered changed blocked merged erased | customer_id:long email:string? \
country:string language:string registered_at:time address:Address?
customers / Profiles: consent granted revoked | customer_id:long purpose:ConsentPurpose source:string decided_at:time \
proof:string?
customers / Loyalty: points earned spent expired | loyalty_number:string points:int balance:int tier:Tier \
order_number:string? booked_at:time
catalog / Assortment: product launched changed restocked discontinued | product_number:string name:string brand:string \
category:string[] attributes:map variants:Variant[]
catalog / Pricing: price changed announced | sku:string price_list:string list_price:decimal sale_price:decimal? \
valid_from:time
payments / Payments: payment authorised captured voided failed refunded disputed | payment_id:uuid order_number:string \
method:PaymentMethod amount:decimal currency:string provider:string reason:string? happened_at:time
payments / Payments: fraud_check requested decided | payment_id:uuid score:double verdict:Verdict rules:string[] \
model_version:string
shipping / Shipping: parcel packed handed_over shipped returned scanned delivered lost | tracking_number:string \
order_number:string carrier:string place:Address? weight_grams:int happened_at:time
shipping / Shipping: return requested received inspected | return_number:string order_number:string \
reason:ReturnReason items:OrderLine[] happened_at:time
warehouse / Warehousing: stock changed counted reserved released | sku:string warehouse:string on_hand:int \
reserved:int changed_by:string? changed_at:time
warehouse / Warehousing: pick started finished | pick_number:string warehouse:string lines:OrderLine[] picker:string? \
happened_at:time
procurement / Procurement: purchase_order placed confirmed changed received closed | purchase_order_number:string \
supplier:string total:decimal currency:string expected_on:date lines:OrderLine[]
procurement / Procurement: supplier added changed blocked | supplier_number:string name:string country:string \
risk_class:string? address:Address?
stores / Stores: sale rung_up voided | store:string till:int receipt_number:string gross_amount:decimal \
lines:OrderLine[] sold_at:time
stores / Stores: footfall counted | store:string camera:string visitors:int counted_at:time
web / Web Analytics: visit started ended | session_key:string visitor_key:string device:Device campaign:string? \
started_at:time pages:int?
web / Web Analytics: page viewed left | session_key:string path:string referrer:string? viewed_at:time
web / Web Analytics: search performed | session_key:string query:string results:int clicked:string[] searched_at:time
marketing / Campaigns: newsletter sent bounced opened clicked unsubscribed | message_id:uuid subject:string \
segment:string recipient_key:string link:string? happened_at:time
marketing / Campaigns: campaign started paused ended | campaign_code:string platform:string budget:decimal \
currency:string starts_on:date ends_on:date?
service / Service: ticket opened assigned escalated answered solved reopened | ticket_number:string customer_id:long? \
channel:Channel priority:Priority subject:string happened_at:time
service / Service: call queued taken ended | call_id:uuid queue:string agent:string? wait_seconds:int happened_at:time
finance / Accounting: invoice issued paid reminded cancelled | invoice_number:string order_number:string \
net_amount:decimal tax_amount:decimal currency:string due_on:date
finance / Accounting: booking posted reversed | entry_number:string account:string debit:decimal? credit:decimal? \
period:string posted_at:time
people / Workforce: employee hired promoted moved left | employee_number:string department:string position:string \
happened_on:date
ml / Machine Learning: prediction made corrected | model:string model_version:string subject_key:string score:double \
features:map made_at:time
platform / Reporting: pipeline started skipped finished failed | pipeline:string run_id:uuid rows:long? error:string? \
happened_at:time
`

/** Records and enumerations that several topics use. */
export const recordsText: Readonly<Record<string, string>> = {
  OrderLine: 'sku:string quantity:int unit_price:decimal discount:decimal?',
  Address: 'street:string? city:string postal_code:string country:string position:Position?',
  Position: 'latitude:double longitude:double',
  Variant: 'sku:string gtin:string? size:string colour:string weight_grams:int',
}

export const enumsText: Readonly<Record<string, string>> = {
  Channel: 'WEB APP STORE MARKETPLACE PHONE EMAIL',
  ConsentPurpose: 'NEWSLETTER PROFILING PARTNERS',
  Tier: 'PEBBLE STONE ROCK SUMMIT',
  PaymentMethod: 'CARD INVOICE WALLET TRANSFER GIFT_CARD',
  Verdict: 'ACCEPT REVIEW REJECT',
  ReturnReason: 'TOO_SMALL TOO_LARGE DEFECT LATE NOT_AS_SHOWN OTHER',
  Device: 'PHONE TABLET DESKTOP KIOSK',
  Priority: 'LOW NORMAL HIGH URGENT',
}
