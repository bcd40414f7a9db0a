import pytest

from tables.makers import MAKERS, stop_sessions


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.name)
def maker(request):
    return request.param


@pytest.fixture(scope="session", autouse=True)
def _sessions():
    yield
    stop_sessions()
