"""A Python benchmark client as they are mostly written: aiohttp, line by line, json per event."""

import asyncio
import json
import sys
import time

import aiohttp

WARM_UP_EVENTS = 50
PROBE_S = 0.02


def tell(kind, **result):
    print(json.dumps({"kind": kind, **result}), flush=True)


async def read(session, case, events):
    body = {
        "model": "instant",
        "messages": [{"role": "user", "content": "bench"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": events,
        "instant": {"every_ms": case["everyMs"], "phase": case["phase"]},
    }
    errors_ms = []
    async with session.post(case["url"] + "/v1/chat/completions", json=body) as response:
        async for line in response.content:
            at_ns = time.perf_counter_ns()
            if not line.startswith(b"data: ") or line.startswith(b"data: [DONE]"):
                continue
            choices = json.loads(line[6:])["choices"]
            text = choices[0]["delta"].get("content") if choices else None
            if text:
                errors_ms.append((at_ns - int(text)) / 1e6)
    return errors_ms


async def probe(lags_ms):
    while True:
        due = time.perf_counter() + PROBE_S
        await asyncio.sleep(PROBE_S)
        lags_ms.append(max(0.0, (time.perf_counter() - due) * 1000))


def quantile(values, share):
    return sorted(values)[max(0, round(share * len(values) + 0.5) - 1)] if values else None


async def main():
    case = json.loads(sys.argv[1])
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        streams = range(case["streams"])
        await asyncio.gather(*(read(session, case, WARM_UP_EVENTS) for _ in streams))
        lags_ms = []
        prober = asyncio.create_task(probe(lags_ms))
        tell("start")
        start_s, start_cpu_s = time.perf_counter(), time.process_time()
        results = await asyncio.gather(
            *(read(session, case, case["eventsPerStream"]) for _ in streams)
        )
        wall_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
        prober.cancel()
    errors_ms = [error for each in results for error in each]
    tell(
        "end",
        events=len(errors_ms),
        wallS=wall_s,
        cpuS=cpu_s,
        stampP50Ms=quantile(errors_ms, 0.5),
        stampP99Ms=quantile(errors_ms, 0.99),
        loopDelayP99Ms=quantile(lags_ms, 0.99),
    )


asyncio.run(main())
