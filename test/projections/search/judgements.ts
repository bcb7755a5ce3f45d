/**
 * What people who look for something in the seeded company want to see, written down before the ranking was made. After
 * each query the FQNs that serve it, a star standing for any characters: 3 is what was meant, 2 is nearly as good, 1 is
 * worth a look. What is not named serves nobody.
 */
export const judgementsText = `
customer
3 shop_postgres.shop.customers.customer | Business.Customer | Customer | lakehouse_snowflake.analytics.core.dim_customer
2 shop_postgres.shop.customers | shop_api.customers | shop_opensearch.customers_v3 | lake_s3.*.customers.customer | Business.Customer.*Customer*
2 shop_postgres.shop.customers.customer_address | shop_api.customers.get_customers | shop_api.customers.list_customers
1 *customer* | Customer.*

customers
3 shop_postgres.shop.customers | shop_api.customers | shop_opensearch.customers_v3 | shop_postgres.shop.customers.customer
3 Customer | Business.Customer | lakehouse_snowflake.analytics.core.dim_customer | shop_api.customers.list_customers
2 shop_api.customers.* | lake_s3.*.customers | lake_s3.*.customers.customer | models_mlflow.*customer*
1 *customer*

custmer
3 shop_postgres.shop.customers.customer | Business.Customer | Customer | lakehouse_snowflake.analytics.core.dim_customer
2 shop_postgres.shop.customers | shop_api.customers | shop_opensearch.customers_v3 | lake_s3.*.customers.customer | Business.Customer.*Customer*
2 shop_postgres.shop.customers.customer_address | shop_api.customers.get_customers | shop_api.customers.list_customers
1 *customer* | Customer.*

customer email
3 shop_postgres.shop.customers.customer
2 lakehouse_snowflake.analytics.core.dim_customer | lakehouse_snowflake.*customers_customer | events_kafka.customers-customer-* | lake_s3.*.customers.customer
2 lakehouse_snowflake.analytics.snapshots.customer_history | models_mlflow.duplicate-customers
1 *customer*

customer address
3 shop_postgres.shop.customers.customer_address
2 lakehouse_snowflake.*customer_address | lakehouse_snowflake.analytics.snapshots.customer_address_history | lake_s3.*.customers.customer_address
1 *customer* | *address*

customer_address
3 shop_postgres.shop.customers.customer_address
2 lakehouse_snowflake.*customer_address | lakehouse_snowflake.analytics.snapshots.customer_address_history | lake_s3.*.customers.customer_address
1 *customer_address*

customerAddress
3 shop_postgres.shop.customers.customer_address
2 lakehouse_snowflake.*customer_address | lakehouse_snowflake.analytics.snapshots.customer_address_history | lake_s3.*.customers.customer_address
1 *customer_address*

customer lifetime value
3 Business.Customer.Customer Lifetime Value | lakehouse_snowflake.analytics.marts_marketing.customer_lifetime_value
2 models_mlflow.lifetime-value | Business.Customer.Customer Lifetime Value.*
1 *lifetime*

lifetime value
3 Business.Customer.Customer Lifetime Value | lakehouse_snowflake.analytics.marts_marketing.customer_lifetime_value | models_mlflow.lifetime-value
2 Business.Customer.Customer Lifetime Value.*
1 *lifetime*

clv
3 Business.Customer.Customer Lifetime Value

lifetme value
3 Business.Customer.Customer Lifetime Value | lakehouse_snowflake.analytics.marts_marketing.customer_lifetime_value | models_mlflow.lifetime-value
2 Business.Customer.Customer Lifetime Value.*
1 *lifetime*

order
3 shop_postgres.shop.orders.order | Business.Order | lakehouse_snowflake.analytics.core.fct_order
2 shop_postgres.shop.orders | shop_api.orders | shop_opensearch.orders_v3 | shop_postgres.shop.orders.order_* | lake_s3.*.orders.order | Business.Order.Order*
2 erp_mysql.erp.procurement.purchase_order
1 *order*

orders
3 shop_postgres.shop.orders | shop_api.orders | shop_opensearch.orders_v3 | shop_postgres.shop.orders.order | Business.Order | lakehouse_snowflake.analytics.core.fct_order
2 shop_api.orders.* | lake_s3.*.orders | lake_s3.*.orders.order | shop_postgres.shop.orders.*
1 *order*

order line
3 shop_postgres.shop.orders.order_line | Business.Order.Order Line | lakehouse_snowflake.analytics.core.fct_order_line
2 erp_mysql.erp.procurement.purchase_order_line | lakehouse_snowflake.*order_line | lakehouse_snowflake.*order_line_history | lake_s3.*order_line
1 *order*line* | Business.Order.Order Line.*

order_lines
3 shop_postgres.shop.orders.order_line | Business.Order.Order Line | lakehouse_snowflake.analytics.core.fct_order_line
2 erp_mysql.erp.procurement.purchase_order_line | lakehouse_snowflake.*order_line | lakehouse_snowflake.*order_line_history | lake_s3.*order_line
1 *order*line*

purchase order
3 erp_mysql.erp.procurement.purchase_order
2 erp_mysql.erp.procurement.purchase_order_line | lakehouse_snowflake.*purchase_order | lake_s3.*purchase_order | events_kafka.procurement-purchase-order-* | Business.Order
1 *purchase* | bi_superset.purchasing-pipeline

purchse order
3 erp_mysql.erp.procurement.purchase_order
2 erp_mysql.erp.procurement.purchase_order_line | lakehouse_snowflake.*purchase_order | lake_s3.*purchase_order | events_kafka.procurement-purchase-order-* | Business.Order
1 *purchase* | bi_superset.purchasing-pipeline

order placed
3 events_kafka.orders-order-placed
2 events_kafka.procurement-purchase-order-placed | shop_postgres.shop.orders.order
1 *order*

average order value
3 Business.Order.Order Value.Average Order Value
2 Business.Order.Order Value
1 Business.Order.*

aov
3 Business.Order.Order Value.Average Order Value

invoice
3 shop_postgres.shop.orders.invoice
2 erp_mysql.erp.procurement.supplier_invoice | events_kafka.finance-invoice-* | lakehouse_snowflake.*invoice | lakehouse_snowflake.analytics.snapshots.invoice_history
1 *invoice* | lakehouse_snowflake.analytics.marts_finance.receivables_ageing | board_tableau.receivables | models_mlflow.late-payment

invoices
3 shop_postgres.shop.orders.invoice
2 erp_mysql.erp.procurement.supplier_invoice | events_kafka.finance-invoice-* | lakehouse_snowflake.*invoice | lakehouse_snowflake.analytics.snapshots.invoice_history
2 lakehouse_snowflake.analytics.marts_finance.receivables_ageing | board_tableau.receivables
1 *invoice* | models_mlflow.late-payment

payment
3 shop_postgres.shop.payments.payment | lakehouse_snowflake.analytics.core.fct_payment
2 Sales.Payments | shop_postgres.shop.payments | shop_api.payments | shop_postgres.shop.payments.payment_card | events_kafka.payments-payment-* | lake_s3.*.payments.payment | models_mlflow.late-payment
2 lakehouse_snowflake.*payments_payment
1 *payment*

payments
3 Sales.Payments | shop_postgres.shop.payments | shop_api.payments | shop_postgres.shop.payments.payment | lakehouse_snowflake.analytics.core.fct_payment | payments_data
2 shop_api.payments.* | shop_postgres.shop.payments.* | lake_s3.*.payments | lakehouse_snowflake.*payments_payment | lake_s3.*.payments.payment
1 *payment*

payment card
3 shop_postgres.shop.payments.payment_card
2 lakehouse_snowflake.*payment_card | lake_s3.*payment_card
1 *payment* | Compliance.PCI

failed payments
3 events_kafka.payments-payment-failed

fraud
3 models_mlflow.fraud-score | shop_postgres.shop.payments.fraud_check | lakehouse_snowflake.analytics.machine_learning.predictions_fraud
2 Business.Order.Cancellation.Fraud Cancellation | events_kafka.payments-fraud-check-* | lakehouse_snowflake.*fraud_check
1 *fraud* | lakehouse_snowflake.analytics.machine_learning.features_order

fraud check
3 shop_postgres.shop.payments.fraud_check
2 events_kafka.payments-fraud-check-* | lakehouse_snowflake.*fraud_check
1 *fraud*

refund
3 shop_postgres.shop.payments.refund
2 events_kafka.payments-payment-refunded | lakehouse_snowflake.*refund | lake_s3.*refund
1 shop_postgres.shop.payments | *refund*

chargeback
3 shop_postgres.shop.payments.chargeback
2 models_mlflow.chargeback-risk | lakehouse_snowflake.*chargeback | lake_s3.*chargeback
1 *chargeback*

chargebak
3 shop_postgres.shop.payments.chargeback
2 models_mlflow.chargeback-risk | lakehouse_snowflake.*chargeback | lake_s3.*chargeback
1 *chargeback*

churn
3 models_mlflow.churn | lakehouse_snowflake.analytics.marts_marketing.churn_risk
2 bi_superset.churn-watch
1 *churn*

churned customers
3 Business.Customer.Churned Customer
1 Business.Customer.Churned Customer.*

vip
3 Business.Customer.Active Customer.Key Account

newsletter
3 shop_postgres.shop.content.newsletter | bi_superset.newsletter
2 lakehouse_snowflake.analytics.marts_marketing.newsletter_performance | events_kafka.marketing-newsletter-* | Business.Customer.Prospect.Newsletter Subscriber | lake_s3.*newsletter | lakehouse_snowflake.*content_newsletter
1 *newsletter* | models_mlflow.send-time

newsleter
3 shop_postgres.shop.content.newsletter | bi_superset.newsletter
2 lakehouse_snowflake.analytics.marts_marketing.newsletter_performance | events_kafka.marketing-newsletter-* | Business.Customer.Prospect.Newsletter Subscriber | lake_s3.*newsletter | lakehouse_snowflake.*content_newsletter
1 *newsletter* | models_mlflow.send-time

campaign
3 Business.Marketing Campaign | lakehouse_snowflake.analytics.core.dim_campaign | lakehouse_snowflake.analytics.marts_marketing.campaign_performance | bi_superset.campaign-cockpit
2 Marketing.Campaigns | events_kafka.marketing-campaign-* | campaigns_data
1 *campaign* | Marketing.*

campaigns
3 Marketing.Campaigns | campaigns_data | lakehouse_snowflake.analytics.core.dim_campaign | bi_superset.campaign-cockpit | Business.Marketing Campaign | lakehouse_snowflake.analytics.marts_marketing.campaign_performance
2 events_kafka.marketing-campaign-* | lakehouse_snowflake.analytics.marts_marketing
1 *campaign*

stock
3 Business.Stock | shop_api.stock | erp_mysql.erp.inventory.stock_level | bi_superset.stock-overview | lakehouse_snowflake.analytics.core.fct_stock_daily
2 erp_mysql.erp.inventory.stock_* | Business.Stock.*Stock* | lakehouse_snowflake.analytics.marts_supply.*stock* | events_kafka.warehouse-stock-* | models_mlflow.safety-stock | bi_superset.out-of-stock
1 *stock*

inventory
3 erp_mysql.erp.inventory | Business.Stock
2 erp_mysql.erp.inventory.* | lake_s3.*.inventory
1 *inventory*

out of stock
3 Business.Stock.Out of Stock | bi_superset.out-of-stock | lakehouse_snowflake.analytics.marts_supply.out_of_stock
1 *stock*

stock levels
3 erp_mysql.erp.inventory.stock_level
2 lakehouse_snowflake.*stock_level | lakehouse_snowflake.analytics.snapshots.stock_level_history | lake_s3.*stock_level | shop_api.stock.*levels
1 *stock*

supplier
3 erp_mysql.erp.procurement.supplier | lakehouse_snowflake.analytics.core.dim_supplier
2 shop_api.suppliers | erp_mysql.erp.procurement.supplier_* | lakehouse_snowflake.analytics.marts_supply.supplier_scorecard | bi_superset.supplier-scorecard | models_mlflow.supplier-risk | events_kafka.procurement-supplier-* | lake_s3.*procurement.supplier
1 *supplier*

supplier scorecard
3 bi_superset.supplier-scorecard | lakehouse_snowflake.analytics.marts_supply.supplier_scorecard
1 *supplier*

supplyer
3 erp_mysql.erp.procurement.supplier | lakehouse_snowflake.analytics.core.dim_supplier
2 shop_api.suppliers | erp_mysql.erp.procurement.supplier_* | lakehouse_snowflake.analytics.marts_supply.supplier_scorecard | bi_superset.supplier-scorecard | models_mlflow.supplier-risk | events_kafka.procurement-supplier-* | lake_s3.*procurement.supplier
1 *supplier*

warehouse
3 logistics_postgres.logistics.warehouse.warehouse | logistics_postgres.logistics.warehouse
2 bi_superset.warehouse-floor | Supply Chain.Warehousing | lakehouse_snowflake.analytics.marts_supply.warehouse_productivity | lakehouse_snowflake.*warehouse_warehouse
1 *warehous*

shipment
3 logistics_postgres.logistics.shipping.shipment | lakehouse_snowflake.analytics.core.fct_shipment | Business.Delivery.Parcel
2 shop_api.shipments | logistics_postgres.logistics.shipping.shipment_item | Business.Delivery.*Shipment* | lakehouse_snowflake.*shipping_shipment
1 *shipment* | logistics_postgres.logistics.shipping

shipments
3 shop_api.shipments | logistics_postgres.logistics.shipping.shipment | lakehouse_snowflake.analytics.core.fct_shipment | Business.Delivery.Parcel
2 shop_api.shipments.* | logistics_postgres.logistics.shipping.shipment_item | Business.Delivery.*Shipment* | lakehouse_snowflake.*shipping_shipment
1 *shipment*

parcel lost
3 events_kafka.shipping-parcel-lost | Business.Delivery.Last Mile.Lost Parcel

tracking number
3 logistics_postgres.logistics.shipping.shipment
2 lakehouse_snowflake.*shipping_shipment | lakehouse_snowflake.analytics.core.fct_shipment | logistics_postgres.logistics.returns.return_label | events_kafka.shipping-parcel-* | shop_api.shipments.*
1 *shipment* | *return_label | logistics_postgres.logistics.shipping.*

return rate
3 Business.Product.Return Rate
2 Business.Product.Return Rate.*
1 lakehouse_snowflake.analytics.machine_learning.features_* | lakehouse_snowflake.analytics.marts_* | models_mlflow.*

return reasons
3 lakehouse_snowflake.analytics.marts_supply.return_reasons
1 logistics_postgres.logistics.returns.* | *return*

employee
3 erp_mysql.erp.people.employee | Business.Employee | lakehouse_snowflake.analytics.core.dim_employee
2 events_kafka.people-employee-* | lakehouse_snowflake.*people_employee | lake_s3.*employee | erp_mysql.erp.people.employee.employee_contract
1 *employee* | erp_mysql.erp.people*

salary
3 erp_mysql.erp.people.salary
2 lakehouse_snowflake.*people_salary
1 *salary* | erp_mysql.erp.people.*

employes
3 erp_mysql.erp.people.employee | Business.Employee | lakehouse_snowflake.analytics.core.dim_employee
2 events_kafka.people-employee-* | lakehouse_snowflake.*people_employee | lake_s3.*employee | erp_mysql.erp.people.employee.employee_contract
1 *employee*

revenue
3 Business.Revenue
2 Business.Revenue.* | lakehouse_snowflake.analytics.marts_finance.revenue_recognised
1 *revenue* | bi_superset.sales-today | lakehouse_snowflake.analytics.marts_*

net revenue
3 Business.Revenue.Net Revenue
2 Business.Revenue.Net Revenue.*
1 Business.Revenue* | lakehouse_snowflake.analytics.marts_*

turnover
3 Business.Revenue

margin bridge
3 lakehouse_snowflake.analytics.marts_finance.margin_bridge | board_tableau.margin-bridge
1 *margin_bridge*

budget
3 erp_mysql.erp.finance.budget | board_tableau.budget
2 lakehouse_snowflake.analytics.marts_finance.budget_variance | lakehouse_snowflake.*finance_budget
1 *budget* | Finance.Controlling

vat
3 Business.Revenue.Tax.Value Added Tax

sales by store
3 lakehouse_snowflake.analytics.marts_sales.sales_by_store
1 *sales* | *store*

daily sales
3 lakehouse_snowflake.analytics.marts_sales.sales_daily
1 *sales*

demand forecast
3 models_mlflow.demand-forecast
2 lakehouse_snowflake.analytics.machine_learning.predictions_demand | lakehouse_snowflake.analytics.marts_sales.sales_forecast
1 *forecast*

forecast
3 models_mlflow.*forecast | lakehouse_snowflake.analytics.marts_sales.sales_forecast
1 *forecast* | lakehouse_snowflake.analytics.machine_learning.predictions_demand | erp_mysql.erp.inventory.replenishment_plan | lakehouse_snowflake.*replenishment_plan*

sentiment
3 models_mlflow.review-sentiment
2 support_mssql.support.tickets.ticket_message | lakehouse_snowflake.*ticket_message
1 models_mlflow.ticket-*

ticket
3 support_mssql.support.tickets.ticket | lakehouse_snowflake.analytics.core.fct_ticket
2 support_mssql.support.tickets | support_mssql.support.tickets.ticket_* | shop_opensearch.tickets_v3 | events_kafka.service-ticket-* | models_mlflow.ticket-* | lakehouse_snowflake.*tickets_ticket
1 *ticket*

cart
3 shop_postgres.shop.orders.cart | Business.Order.Basket
2 shop_postgres.shop.orders.cart_item | lakehouse_snowflake.*orders_cart | lake_s3.*orders.cart | lakehouse_snowflake.analytics.snapshots.cart_history
1 *cart*

abandoned basket
3 Business.Order.Basket.Abandoned Basket | events_kafka.orders-basket-abandoned

basket
3 Business.Order.Basket | shop_api.baskets | bi_superset.basket-analysis
2 Business.Order.Basket.* | events_kafka.orders-basket-* | lakehouse_snowflake.analytics.marts_sales.basket_pairs | shop_api.baskets.*
1 *basket* | shop_postgres.shop.orders.cart

categories
3 shop_postgres.shop.catalog.category | shop_opensearch.categories_v3
2 lakehouse_snowflake.*catalog_category | lake_s3.*category | bi_superset.category-review | lakehouse_snowflake.analytics.marts_sales.sales_by_category | lakehouse_snowflake.analytics.snapshots.category_history
1 *categor*

gdpr
3 Compliance.GDPR
1 *customer* | erp_mysql.erp.people.* | *people_employee | *dim_employee

loyalty
3 Customer.Loyalty | shop_api.loyalty | loyalty_data | bi_superset.loyalty-programme | shop_postgres.shop.customers.loyalty_account
2 shop_postgres.shop.customers.loyalty_movement | Business.Revenue.Discount.Loyalty Discount | lakehouse_snowflake.*loyalty_account | lake_s3.*loyalty_account
1 *loyalty*

prod*
3 Product | Business.Product | shop_postgres.shop.catalog.product | shop_api.products | shop_opensearch.products_v3 | lakehouse_snowflake.analytics.core.dim_product
2 *product* | Lifecycle.Production | product_suite
1 Product.*

cust*
3 Customer | Business.Customer | shop_postgres.shop.customers.customer | shop_postgres.shop.customers | shop_api.customers | shop_opensearch.customers_v3 | lakehouse_snowflake.analytics.core.dim_customer
2 *customer*
1 Customer.*

kind:dashboard sales
3 bi_superset.sales-today
2 bi_superset.category-review | bi_superset.out-of-stock
1 bi_superset.* | board_tableau.*

data contract
3 Data.Data Contract
2 *_data.*_data_contract
1 *_contract

personal data
3 Data.Personal Data
2 PII | PII.* | Data.Personal Data.*
1 *data*

price elasticity
3 models_mlflow.price-elasticity | lakehouse_snowflake.analytics.marts_sales.price_elasticity
1 *price*
`
