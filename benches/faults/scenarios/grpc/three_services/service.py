import json
import logging
import random
import sys
import time
from concurrent import futures

import grpc

me = sys.argv[1]
PORTS = {"orders": 5741, "pricing": 5742, "customers": 5743}
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s.%(msecs)03d INFO " + me + ": %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")


def ask(service, method, **fields):
    logging.info("asking %s for %s of %s", service, method, fields["customer"])
    with grpc.insecure_channel(f"127.0.0.1:{PORTS[service]}") as channel:
        call = channel.unary_unary(f"/shop.{service}/{method}", lambda o: json.dumps(o).encode(), json.loads)
        answer = call(fields)
    logging.info("%s answered %s", service, answer)
    return answer


def quote(request, context):
    logging.info("Quote of %s, %d pieces", request["customer"], request["pieces"])
    return {"total": request["pieces"] * ask("pricing", "Price", customer=request["customer"])["price"]}


def price(request, context):
    time.sleep(random.uniform(0.01, 0.05))
    tier = ask("customers", "Tier", customer=request["customer"])["tier"]
    return {"price": {"retail": 20, "account": 17}[tier]}


def tier(request, context):
    time.sleep(random.uniform(0.01, 0.05))
    if int(request["customer"][1:]) < 5000:
        logging.info("%s is retail", request["customer"])
        return {"tier": "retail"}
    due = ask("orders", "Due", customer=request["customer"])["due"]
    return {"tier": "account" if due < 1000 else "retail"}


def due(request, context):
    return {"due": 0}


methods = {"orders": {"Quote": quote, "Due": due}, "pricing": {"Price": price}, "customers": {"Tier": tier}}[me]
server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(f"shop.{me}", {
    name: grpc.unary_unary_rpc_method_handler(method, json.loads, lambda o: json.dumps(o).encode()) for name, method in methods.items()
}),))
server.add_insecure_port(f"127.0.0.1:{PORTS[me]}")
server.start()
logging.info("serving %s on %d", ", ".join(methods), PORTS[me])
server.wait_for_termination()
